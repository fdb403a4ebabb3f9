import Amodb

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
        /// Paths that could not be looked at or deleted, and why.
        public var failures: [CacheError] = []
        /// The newest mtime, if it is more than a day ahead of the clock: then one of the two is
        /// wrong, and nothing was deleted for its age.
        public var clockBehind: Timestamp?

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
    ///
    /// What is deleted is said in `EvictionRule`. Memory does not grow with the cache.
    public static func run(
        _ directory: String, _ policy: Policy, now: Timestamp,
        deleted: (String) -> Void = { _ in }
    ) throws(Refusal) -> Summary {
        let root = try openCache(directory)
        var refusal: Refusal?
        var summary = Summary()
        do {
            // Closed and so given up at the end, even a sudden one.
            try root.withLock(alone: true) { (outcome) throws(CacheError) in
                switch outcome {
                case .taken: refusal = .locked
                case .unavailable(let error): throw error
                case .held:
                    let rule = EvictionRule(policy: policy, now: now)
                    var sweep = PruneSweep(root, rule)
                    try sweep.run(deleted)
                    summary = sweep.summary
                }
            }
        } catch { throw .disk(error) }
        if let refusal { throw refusal }
        return summary
    }

    /// Opens a directory if it is a cache.
    static func openCache(_ path: String) throws(Refusal) -> Directory {
        do {
            let root = try Directory(path)
            guard try CacheTag.isPresent(in: root),
                try root.status(CacheDirectory.Folder.posters.rawValue)?.kind == .directory
            else { throw Refusal.notACache(path) }
            return root
        } catch let refusal as Refusal {
            throw refusal
        } catch let error as CacheError where !error.isMissing && !error.isPlanted {
            throw .disk(error)
        } catch {
            throw .notACache(path)
        }
    }
}

extension Prune.Refusal: CustomStringConvertible {
    /// One line for people.
    public var description: String {
        switch self {
        case .locked: "another prune of this cache is running"
        case .notACache(let path): "\(Quoted(path)) is no cache: it has no \(CacheTag.name)"
        case .disk(let error): "\(error)"
        }
    }
}
