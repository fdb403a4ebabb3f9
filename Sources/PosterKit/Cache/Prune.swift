/// Deletes from a cache what has expired, then what was used longest ago while over a limit.
public struct Prune: Sendable {
    /// What may stay.
    public struct Policy: Sendable, Equatable {
        /// How long after its mtime an entry stays.
        public var maxAge: Duration
        /// The most bytes of entries; `nil`: no limit.
        public var maxBytes: Int?
        /// The least free bytes of the file system; `nil`: no limit.
        public var minFreeBytes: Int?
        /// Names what would go, and deletes nothing.
        public var isDryRun: Bool

        /// Age alone.
        public init(
            maxAge: Duration, maxBytes: Int? = nil, minFreeBytes: Int? = nil, isDryRun: Bool = false
        ) {
            self.maxAge = maxAge
            self.maxBytes = maxBytes
            self.minFreeBytes = minFreeBytes
            self.isDryRun = isDryRun
        }
    }

    /// What was done.
    public struct Summary: Sendable, Equatable {
        /// Entries looked at.
        public var examined = 0
        /// Entries and orphaned temporary files deleted (or that a dry run names).
        public var deleted = 0
        /// Their bytes.
        public var bytesFreed = 0
        /// Bytes of the entries that stay.
        public var bytesLeft = 0
        /// Files that are not the cache's own, left alone.
        public var foreign = 0
        /// Paths, relative to the cache, that could not be deleted, and why.
        public var failures: [CacheError] = []

        /// Nothing done.
        public init() {}
    }

    /// Why a prune did not run.
    public enum Refusal: Error, Hashable, Sendable {
        /// Another prune holds the lock.
        case locked
        /// There is no such cache directory, or it is no cache.
        case notACache(String)
        /// The disk failed.
        case disk(CacheError)
    }

    /// Prunes `directory`. Blocks. `deleted` is told each path, relative to the cache, that goes.
    public static func run(
        _ directory: String, _ policy: Policy, now: Timestamp,
        deleted: (String) -> Void = { _ in }
    ) throws(Refusal) -> Summary { fatalError("unbuilt") }
}
