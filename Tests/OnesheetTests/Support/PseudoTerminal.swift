import Foundation
import Testing

/// A terminal for a program to believe in.
final class PseudoTerminal {
    /// `TIOCSPTLCK` and `TIOCGPTN` of asm-generic/ioctls.h.
    private static let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)

    /// The side that the test reads.
    private let screen: Int32
    /// The side that the program writes to; close it once the program has it.
    private(set) var line: Int32

    init(columns: Int) throws {
        // What posix_openpt, unlockpt and ptsname do; glibc hides them from Swift.
        screen = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (locked, number) = (Int32(0), UInt32(0))
        try #require(ioctl(screen, Self.setLock, &locked) == 0)
        try #require(ioctl(screen, Self.getNumber, &number) == 0)
        line = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(line >= 0)
        var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        try #require(ioctl(line, UInt(TIOCSWINSZ), &size) == 0)
    }

    deinit {
        closeLine()
        close(screen)
    }

    func closeLine() {
        if line >= 0 { close(line) }
        line = -1
    }

    /// All that is written until the last writer has gone.
    func readToEnd() -> String {
        closeLine()
        var (all, piece) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
        while true {
            let count = read(screen, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            // A terminal without writers ends in EIO.
            guard count > 0 else { return String(decoding: all, as: UTF8.self) }
            all += piece[..<count]
        }
    }
}
