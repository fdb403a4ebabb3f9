/// Why the disk did not do what the cache asked of it.
public struct CacheError: Error, Hashable, Sendable {
    /// What was asked.
    public let operation: Metrics.DiskOperation
    /// Where.
    public let path: String
    /// The system's error number, as in errno.h.
    public let code: Int32

    /// Puts an error together.
    public init(_ operation: Metrics.DiskOperation, _ path: String, code: Int32) {
        self.operation = operation
        self.path = path
        self.code = code
    }
}
