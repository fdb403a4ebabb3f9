import Amodb
import Glibc
package import PosterBase

/// Deletes from a cache what has expired, then what was used longest ago while over a limit.
package struct Prune: Sendable {
    /// What may stay.
    package struct Policy: Sendable, Equatable {
        /// How long after its mtime an entry stays.
        package var maxAge: Duration
        /// The most bytes of entries, lists included; `nil`: no limit.
        package var maxBytes: Int?
        /// The most entries, lists included; `nil`: no limit.
        package var maxEntries: Int?
        /// The least free bytes of the file system, and as large a share of its inodes; `nil`: no
        /// limit.
        package var minFreeBytes: Int?
        /// Whether entries go for their age even if the clock is in doubt.
        package var trustsClock: Bool
        /// Names what would go, and deletes nothing.
        package var isDryRun: Bool

        /// Age alone.
        package init(
            maxAge: Duration, maxBytes: Int? = nil, maxEntries: Int? = nil,
            minFreeBytes: Int? = nil, trustsClock: Bool = false, isDryRun: Bool = false
        ) {
            self.maxAge = maxAge
            self.maxBytes = maxBytes
            self.maxEntries = maxEntries
            self.minFreeBytes = minFreeBytes
            self.trustsClock = trustsClock
            self.isDryRun = isDryRun
        }
    }

    /// Why the clock cannot be trusted: then nothing is deleted for its age.
    package enum ClockDoubt: Sendable, Equatable {
        /// So many of the entries are dated more than a day ahead of it.
        case behind(entries: Int, of: Int)
        /// So many of the entries look expired, and none of them was touched in the week before
        /// the last: it has jumped ahead, or the cache was out of use for long.
        case ahead(entries: Int, of: Int)
    }

    /// A thing that looked like an entry and was left alone.
    package struct Oddity: Sendable, Hashable {
        /// The closed set of reasons.
        package enum Reason: String, CaseIterable, Sendable {
            /// It is dated more than a day ahead of the clock.
            case datedAhead
            /// It bears an entry's name and has no seal: it is not the cache's own.
            case unsealed
            /// It is a folder on which another file system is mounted.
            case mounted
        }

        /// Relative to the cache.
        package let path: String
        /// Why it was left alone.
        package let reason: Reason
    }

    /// A limit that was not met, and what is there instead.
    package enum UnmetLimit: Sendable, Hashable {
        /// Bytes that the entries still have.
        case maxBytes(Int)
        /// Entries that are left.
        case maxEntries(Int)
        /// Bytes that are free.
        case minFreeBytes(Int)
        /// Inodes that are free, and how many should be.
        case minFreeInodes(Int, wanted: Int)
    }

    /// What was done.
    package struct Summary: Sendable, Equatable {
        /// Entries and lists looked at.
        package var examined = 0
        /// Entries, lists and orphaned temporary files deleted (or that a dry run names).
        package var deleted = 0
        /// Their bytes.
        package var bytesFreed = 0
        /// Bytes of the entries and lists that stay.
        package var bytesLeft = 0
        /// Entries and lists that stay.
        package var entriesLeft = 0
        /// Files that are not the cache's own, left alone.
        package var foreign = 0
        /// Paths that could not be looked at or deleted, and why.
        package var failures: [FileError] = []
        /// What was left alone although it looked like an entry; ``oddityLimit`` of them at most.
        package var oddities: [Oddity] = []
        /// How many there were.
        package var oddityCount = 0
        /// Set when nothing was deleted for its age.
        package var clockDoubt: ClockDoubt?
        /// The limits that are still exceeded.
        package var unmet: [UnmetLimit] = []

        /// How many oddities are named.
        package static let oddityLimit = 1000

        /// Nothing done.
        package init() {}

        /// Whether all was done that was asked for.
        package var isComplete: Bool {
            failures.isEmpty && clockDoubt == nil && unmet.isEmpty
        }
    }

    /// Why a prune did not run.
    package enum Refusal: Error, Hashable, Sendable {
        /// Another prune holds the lock.
        case locked
        /// There is no such cache directory, or nothing in it.
        case notACache(String)
        /// The directory holds other things, and no tag of this program.
        case notOurs(String)
        /// The disk failed.
        case disk(FileError)
    }

    /// Prunes `directory`. Blocks. `deleted` is told each path, relative to the cache, that goes.
    ///
    /// What is deleted is said in `EvictionRule`. Memory does not grow with the cache.
    package static func run(
        _ directory: String, _ policy: Policy, now: Timestamp,
        deleted: (String) -> Void = { _ in }
    ) throws(Refusal) -> Summary {
        try run(directory, policy, now: now, bounds: PruneSweep.Bounds(), deleted: deleted)
    }

    /// As the public one, with bounds on memory of the caller's.
    static func run(
        _ directory: String, _ policy: Policy, now: Timestamp, bounds: PruneSweep.Bounds,
        deleted: (String) -> Void = { _ in }
    ) throws(Refusal) -> Summary {
        let root = try openCache(directory)
        var refusal: Refusal?
        var summary = Summary()
        do {
            // Closed and so given up at the end, even a sudden one.
            try root.withLock(alone: true) { (outcome) throws(FileError) in
                switch outcome {
                case .taken: refusal = .locked
                case .unavailable(let error): throw error
                case .held:
                    let rule = EvictionRule(policy: policy, now: now)
                    var sweep = PruneSweep(root, rule, bounds)
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
        do throws(FileError) {
            let root = try Directory(path)
            switch try CacheTag.standing(in: root) {
            case .tagged: return root
            case .free: break
            case .foreign: throw FileError(.open, path, code: ENOTEMPTY)
            }
        } catch {
            if error.code == ENOTEMPTY { throw .notOurs(path) }
            guard error.isMissing || error.isPlanted else { throw .disk(error) }
        }
        throw .notACache(path)
    }
}

extension Prune.Refusal: CustomStringConvertible {
    /// One line for people.
    package var description: String {
        switch self {
        case .locked: "another prune of this cache is running"
        case .notACache(let path): "there is no cache at \(Quoted(path))"
        case .notOurs(let path):
            "\(Quoted(path)) is no cache: it holds other things and no \(CacheTag.name) of this program"
        case .disk(let error): "\(error)"
        }
    }
}
