import Amodb
import Glibc

/// A file operation that the system refused.
public struct FileError: Error, Hashable, Sendable {
    /// What was asked.
    public enum Operation: String, CaseIterable, Sendable {
        /// The possible operations.
        case open, read, write, sync, rename, unlink, mkdir, touch, stat, lock
    }

    /// What was asked.
    public let operation: Operation
    /// Where.
    public let path: String
    /// The system's error number, as in errno.h.
    public let code: Int32
    /// What the number cannot say; `nil`: the system's words for it will do.
    public let reason: String?

    /// Puts an error together.
    public init(
        _ operation: Operation, _ path: String, code: Int32, reason: String? = nil
    ) {
        self.operation = operation
        self.path = path
        self.code = code
        self.reason = reason
    }
}

extension FileError: CustomStringConvertible {
    /// `cannot write "/var/cache/onesheet/tmp": No space left on device`.
    public var description: String {
        "cannot \(operation.rawValue) \(Quoted(path)): \(reason ?? String(cString: strerror(code)))"
    }
}
