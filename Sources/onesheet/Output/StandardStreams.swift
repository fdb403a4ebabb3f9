import Glibc

/// Standard output: what a command was asked for, and nothing else.
///
/// Gathers text and writes it in large pieces; ``flush()`` before the process ends.
final class StandardOutput {
    private var pending: [UInt8] = []
    private static let pieceBytes = 1 << 16

    /// Adds a line.
    func line(_ text: String) throws(OutputError) {
        pending.append(contentsOf: text.utf8)
        pending.append(UInt8(ascii: "\n"))
        if pending.count >= Self.pieceBytes { try flush() }
    }

    /// Writes what was gathered.
    func flush() throws(OutputError) {
        let bytes = pending
        pending = []
        try Self.write(bytes)
    }

    /// Writes bytes as they are, now.
    static func write(_ bytes: [UInt8]) throws(OutputError) {
        do throws(SystemError) { try writeAll(bytes, to: STDOUT_FILENO) } catch {
            throw OutputError(error)
        }
    }

    /// Whether a person looks at it.
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
}

/// Writes a line for people to standard error. What cannot be written there cannot be told.
func tell(_ line: String) {
    do throws(SystemError) { try writeAll(Array((line + "\n").utf8), to: STDERR_FILENO) } catch {}
}

/// Standard output takes no more.
struct OutputError: ExitCoded {
    private let cause: SystemError

    init(_ cause: SystemError) { self.cause = cause }

    var exitCode: ExitCode { cause.stopExitCode ?? .ioError }

    /// Empty when the reader has gone (`onesheet resolve | head -1`), or a signal came.
    var message: String {
        [EPIPE, ECANCELED].contains(cause.code)
            ? "" : "cannot write standard output: \(cause.words)"
    }
}

/// A system call's error number (errno.h).
struct SystemError: Error, Equatable {
    let code: Int32

    /// What the last failed call left in errno.
    static var last: SystemError { SystemError(code: errno) }

    /// As the system puts it, such as `No space left on device`.
    var words: String { String(cString: strerror(code)) }

    /// How the process ends where a signal ended the wait (`ECANCELED`); `nil` for a true error.
    var stopExitCode: ExitCode? {
        guard code == ECANCELED, let signal = StopPipe.process.signal else { return nil }
        return .stopped(signal: signal)
    }
}

/// Writes all of `bytes` to a file descriptor. Blocks, but not much beyond a signal that asks the
/// process to stop: then throws `ECANCELED`.
func writeAll(
    _ bytes: [UInt8], to file: Int32, stop: StopPipe = .process
) throws(SystemError) {
    var status = stat()
    let isRegular = fstat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    // What poll(2) calls ready takes so much without blocking (pipe(7), PIPE_BUF).
    let most = isRegular ? bytes.count : 4096
    var rest = bytes[...]
    while !rest.isEmpty {
        guard stop.waitToWrite(file) else { throw SystemError(code: ECANCELED) }
        let count = rest.prefix(most).withUnsafeBytes {
            Glibc.write(file, $0.baseAddress, $0.count)
        }
        if count < 0, errno == EINTR || errno == EAGAIN { continue }
        guard count >= 0 else { throw .last }
        rest = rest.dropFirst(count)
    }
}
