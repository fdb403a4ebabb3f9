import Amodb
import Glibc

/// Why the disk did not do what the cache asked of it.
public struct CacheError: Error, Hashable, Sendable {
    /// What was asked.
    public let operation: Metrics.DiskOperation
    /// Where.
    public let path: String
    /// The system's error number, as in errno.h.
    public let code: Int32
    /// What the number cannot say; `nil`: the system's words for it will do.
    public let reason: String?

    /// Puts an error together.
    public init(
        _ operation: Metrics.DiskOperation, _ path: String, code: Int32, reason: String? = nil
    ) {
        self.operation = operation
        self.path = path
        self.code = code
        self.reason = reason
    }
}

extension CacheError: CustomStringConvertible {
    /// `cannot write "/var/cache/onesheet/tmp": No space left on device`.
    public var description: String {
        "cannot \(operation.rawValue) \(Quoted(path)): \(reason ?? String(cString: strerror(code)))"
    }
}
