import Glibc
import PosterBase
import PosterKit

/// The file that `--access-log` names: lines are appended, a line a write, so that the lines of
/// several threads do not mix.
final class RequestLog: Sendable {
    /// `nil`: standard error, which is never reopened.
    private let path: String?
    private let file: Monitor<Int32>

    /// Opens a file, or makes it; `-` is standard error. `option` is what an error names.
    init(_ path: String, for option: String) throws(Failure) {
        guard path != "-" else {
            self.path = nil
            file = Monitor(STDERR_FILENO)
            return
        }
        let opened = Self.open(path)
        guard opened >= 0 else {
            let why = String(cString: strerror(errno))
            throw Failure(.configuration, "\(option) \(quoted(path)): \(why)")
        }
        self.path = path
        file = Monitor(opened)
    }

    deinit {
        let file = file.withLock { $0 }
        if file != STDERR_FILENO { close(file) }
    }

    /// Appends a line. A full disk loses lines and nothing else; so does a pipe that takes none
    /// while the process is asked to stop.
    func append(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        file.withLock { file in
            guard StopPipe.process.waitToWrite(file) else { return }
            _ = write(file, bytes, bytes.count)
        }
    }

    /// Reopens the file of this name after the old one was moved away. Where that
    /// fails, lines go on into the old one, and the operator is told.
    func reopen() {
        guard let path else { return }
        let opened = Self.open(path)
        guard opened >= 0 else {
            let why = String(cString: strerror(errno))
            Log.standardError(.error, "access_log_not_reopened", ["path": path, "reason": why])
            return
        }
        let old = file.withLock { file in
            defer { file = opened }
            return file
        }
        close(old)
        Log.standardError(.info, "access_log_reopened", ["path": path])
    }

    private static func open(_ path: String) -> Int32 {
        Glibc.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0o640)
    }
}
