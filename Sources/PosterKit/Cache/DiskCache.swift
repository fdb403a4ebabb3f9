import Amodb

/// The cache directory: sealed pictures, one file each, that any number of processes may share.
///
/// All methods block for the disk. None throws for a cache that is merely damaged: a bad entry
/// is a miss.
final class DiskCache: Sendable {
    /// What reading an entry came to.
    enum Lookup: Sendable {
        /// A whole entry; perhaps expired.
        case entry(CacheEntry)
        /// None, or one that did not pass its seal and is gone now.
        case absent
        /// The disk would not say (`EIO`, `EMFILE`, `EACCES` …); nothing was removed.
        case unreadable(CacheError)
    }

    /// Opens the cache, and makes it where it is missing. Throws when it cannot be used at all.
    init(directory: String, log: Log, metrics: Metrics) throws(CacheError) { fatalError("unbuilt") }

    /// Reads an entry and checks its seal.
    func read(_ key: EntryKey) -> Lookup { fatalError("unbuilt") }

    /// Writes an entry: to `tmp/`, sealed, fsynced, renamed, its mtime `entry.validated`.
    func write(_ key: EntryKey, _ entry: CacheEntry) throws(CacheError) { fatalError("unbuilt") }

    /// Renews an entry: sets its mtime, if the file still holds `entry`'s bytes. `false` when it
    /// does not, or is gone.
    func renew(_ key: EntryKey, _ entry: CacheEntry, at now: Timestamp) throws(CacheError) -> Bool {
        fatalError("unbuilt")
    }

    /// Notes that an entry was used, in its atime, at most once an hour.
    func noteUse(of key: EntryKey, now: Timestamp) { fatalError("unbuilt") }

    /// The sizes of a poster that are cached, found by looking at the files, not into them.
    func cachedSizes(of path: PosterPath) -> [PosterSize] { fatalError("unbuilt") }

    /// Why it takes no writes just now; `nil` when all is well.
    var trouble: Trouble? { nil }
}
