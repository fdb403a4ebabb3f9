import Glibc
import PosterBase

/// The file that `--access-log` names, to which lines are appended.
final class RequestLog: Sendable {
    /// `nil`: standard error, which is never reopened.
    private let path: String?
    private let queue: LineQueue
    private let log: Log

    /// Opens a file, or makes it; `-` is standard error, whose queue is `errors`. `option` is what an
    /// error names.
    init(_ path: String, for option: String, errors: LineQueue, log: Log) throws(Failure) {
        self.log = log
        guard path != "-" else {
            self.path = nil
            queue = errors
            return
        }
        let opened = Self.open(path)
        guard opened >= 0 else {
            let why = String(cString: strerror(errno))
            throw Failure(.configuration, "\(option) \(quoted(path)): \(why)")
        }
        self.path = path
        queue = LineQueue(opened) { lost in
            log(.warn, "access_log_lines_lost", ["path": path, "lines": String(lost)])
        }
    }

    /// Appends a line. Does not block.
    func append(_ line: String) { queue.append(line) }

    /// Waits until all lines are written, for so long at most. Blocks.
    func finish(within limit: Duration) { queue.finish(within: limit) }

    /// Reopens the file of this name after the old one was moved away. Where that
    /// fails, lines go on into the old one, and the operator is told.
    func reopen() {
        guard let path else { return }
        let opened = Self.open(path)
        guard opened >= 0 else {
            let why = String(cString: strerror(errno))
            return log(.error, "access_log_not_reopened", ["path": path, "reason": why])
        }
        // What waits belongs to the old one, unless that takes nothing.
        queue.finish(within: .seconds(1))
        queue.replace(with: opened)
        log(.info, "access_log_reopened", ["path": path])
    }

    /// A FIFO is opened to read, too, which does not wait for its reader (fifo(7)).
    private static func open(_ path: String) -> Int32 {
        var status = stat()
        let isFIFO = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
        let access = isFIFO ? O_RDWR : O_WRONLY | O_CREAT | O_APPEND
        return Glibc.open(path, access | O_CLOEXEC | O_NOCTTY, 0o640)
    }
}
