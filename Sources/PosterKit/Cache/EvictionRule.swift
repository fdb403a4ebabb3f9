/// What goes when a cache is pruned: the whole rule, without a disk.
///
/// 1. By age: an entry whose mtime is ``Prune/Policy/maxAge`` back or more, a list that is too
///    old to stand in for an outage, a temporary file that nobody can be writing any more. Not
///    when the clock itself is in doubt.
/// 2. While over a limit: what was used longest ago, and with a poster all thumbnails of it.
struct EvictionRule {
    let policy: Prune.Policy
    let now: Timestamp
    /// Entries from then and before go.
    private let oldestEntry: Timestamp

    init(policy: Prune.Policy, now: Timestamp) {
        (self.policy, self.now) = (policy, now)
        oldestEntry = now - policy.maxAge
    }

    /// A write takes seconds; what is older was left by a crash.
    static let temporaryMaxAge = Duration.seconds(3600)
    /// How long the last good list is kept for outages.
    static let listMaxAge = Duration.seconds(24 * 3600)
    /// How far the clock may stand before the newest entry. Entries are never written in the
    /// future, so it is the clock that is wrong, and so are all ages.
    static let clockTolerance = Duration.seconds(24 * 3600)

    /// Whether ages mean anything, with the newest mtime in the cache.
    func trustsClock(newest: Timestamp?) -> Bool {
        newest.map { $0 <= now + Self.clockTolerance } ?? true
    }

    /// Whether a file goes for its age.
    func isExpired(_ role: CacheWalk.Role, _ file: FileStatus) -> Bool {
        switch role {
        case .entry: file.modified <= oldestEntry
        case .list: file.modified + Self.listMaxAge <= now
        // Its mtime is set to the entry's before it is renamed; when it was last changed is true.
        case .temporary: file.changed + Self.temporaryMaxAge <= now
        }
    }

    /// The order of eviction: the last use, which is the atime. Of two files used at one moment
    /// the inode decides, so that a dry run names the same.
    struct Recency: Comparable {
        var lastUse: Timestamp
        var inode: UInt64

        static func < (left: Recency, right: Recency) -> Bool {
            (left.lastUse, left.inode) < (right.lastUse, right.inode)
        }
    }

    /// How much must go: bytes of files, and bytes of the disk.
    struct Need: Equatable {
        var bytes = 0
        var allocated = 0

        var isMet: Bool { bytes <= 0 && allocated <= 0 }

        mutating func subtract(_ bytes: Int, allocated: Int) {
            self.bytes -= bytes
            self.allocated -= allocated
        }
    }

    /// Whether there are limits at all.
    var hasLimits: Bool { policy.maxBytes != nil || policy.minFreeBytes != nil }

    /// What is over the limits, when `bytes` of entries stay after step 1, and `free` bytes of
    /// the disk are free then.
    func need(bytes: Int, free: Int) -> Need {
        Need(
            bytes: policy.maxBytes.map { max(0, bytes - $0) } ?? 0,
            allocated: policy.minFreeBytes.map { max(0, $0 - free) } ?? 0)
    }
}

extension EvictionRule.Recency {
    /// A use that lies in the future is one of now.
    init(_ file: FileStatus, now: Timestamp) {
        lastUse = max(Timestamp(seconds: 0), min(file.accessed, now))
        inode = file.identity.inode
    }
}
