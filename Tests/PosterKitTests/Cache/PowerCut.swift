import Foundation
import TestSupport

/// An ext4 file system in a file, whose power can be cut: where the tests may mount, as root.
final class PowerCut: Sendable {
    let path: String
    private let home = TemporaryDirectory()

    /// Mounts a new, empty one; `nil` where that is not allowed.
    init?() {
        path = home.path + "/disk"
        let image = home.path + "/image"
        guard mkdir(path, 0o755) == 0, truncate(to: 24 << 20, image),
            Self.run("mkfs.ext4", "-q", "-F", image), Self.run("mount", "-o", "loop", image, path)
        else { return nil }
    }

    // Lazily: a cache that is still open must not keep it mounted for good.
    deinit { _ = Self.run("umount", "-l", path) }

    /// Loses all that was not written to the disk (`FS_IOC_SHUTDOWN`, without flushing the log).
    func cut() -> Bool {
        let disk = open(path, O_RDONLY | O_DIRECTORY)
        defer { close(disk) }
        var withoutFlush: UInt32 = 2
        return ioctl(disk, 0x8004_587D, &withoutFlush) == 0
    }

    /// Mounts it again, which replays what the journal has.
    func restore() -> Bool {
        Self.run("umount", path) && Self.run("mount", "-o", "loop", home.path + "/image", path)
    }

    private func truncate(to size: off_t, _ image: String) -> Bool {
        FileManager.default.createFile(atPath: image, contents: nil)
            && Foundation.truncate(image, size) == 0
    }

    private static func run(_ words: String...) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        process.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    /// Whether this machine lets the tests do it; the reason why some say nothing.
    static let isPossible = PowerCut()?.cut() ?? false
}
