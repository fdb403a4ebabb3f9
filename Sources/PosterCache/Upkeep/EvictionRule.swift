import PosterBase

/// What goes when a cache is pruned: the whole rule, without a disk.
///
/// 1. By age: an entry whose mtime is ``Prune/Policy/maxAge`` back or more, a list that is too
///    old to stand in for an outage, a temporary file that no process can be writing any more. Not
///    when the clock itself is in doubt: ``ClockEvidence``.
/// 2. While over a limit: what was used longest ago, lists included. A poster counts as used when
///    one of its thumbnails was, so that its thumbnails have gone before it goes.
struct EvictionRule {
    let policy: Prune.Policy
    let now: Timestamp
    /// Whether anything goes for its age.
    var judgesAge = true
    /// Entries from then and before go.
    private let oldestEntry: Timestamp

    init(policy: Prune.Policy, now: Timestamp) {
        (self.policy, self.now) = (policy, now)
        oldestEntry = now - policy.maxAge
    }

    /// A write takes seconds; what is older was left by a crash.
    static let temporaryMaxAge = Duration.seconds(3600)
    /// How far ahead of the clock a time may be. Entries are never written in the future, so one
    /// further ahead is wrong, or the clock is.
    static let clockTolerance = Duration.seconds(24 * 3600)

    /// Whether an entry's or list's own time is ahead of the clock, and says nothing of its age.
    func isAhead(_ file: FileStatus) -> Bool { file.modified > now + Self.clockTolerance }

    /// Whether a file is past its age.
    func isExpired(_ role: CacheWalk.Role, _ file: FileStatus) -> Bool {
        switch role {
        case .entry: validated(file) <= oldestEntry
        case .list: validated(file) + ListCache.keptFor <= now
        // Its mtime is set to the entry's before it is renamed; when it was last changed is true.
        case .temporary: file.changed + Self.temporaryMaxAge <= now
        }
    }

    /// Whether a file goes for its age.
    func goesForAge(_ role: CacheWalk.Role, _ file: FileStatus) -> Bool {
        judgesAge && isExpired(role, file)
    }

    /// An entry's own time; of one that is ahead of the clock, when the file system says that the
    /// file was last changed, which no program can set.
    private func validated(_ file: FileStatus) -> Timestamp {
        isAhead(file) ? min(file.modified, file.changed) : file.modified
    }

    /// When a file was used last: its atime; where that is ahead of the clock, when the file was
    /// last changed. Of a file that is ahead altogether no use is known, and it goes first. Where
    /// the clock is in doubt, times are compared as they are.
    func lastUse(_ file: FileStatus) -> Timestamp {
        let beginning = Timestamp(seconds: 0)
        guard judgesAge, file.accessed > now + Self.clockTolerance else {
            return max(beginning, judgesAge ? min(file.accessed, now) : file.accessed)
        }
        let isKnown = file.changed <= now + Self.clockTolerance
        return isKnown ? max(beginning, min(file.changed, now)) : beginning
    }

    /// The times that ``lastUse(_:)`` gives.
    var uses: ClosedRange<Timestamp> {
        let beginning = Timestamp(seconds: 0)
        return beginning...(judgesAge ? max(beginning, now) : Timestamp(nanoseconds: .max))
    }

    /// The order of eviction: by the last use. Of files used at one moment posters are the last,
    /// behind their thumbnails, and then the inode decides, so that a dry run names the same.
    struct Recency: Comparable {
        var lastUse: Timestamp
        var isPoster: Bool
        var inode: UInt64

        static func < (left: Recency, right: Recency) -> Bool {
            (left.lastUse, left.isPoster ? 1 : 0, left.inode)
                < (right.lastUse, right.isPoster ? 1 : 0, right.inode)
        }
    }

    /// A file's place in the order of eviction. `thumbnailUse` is the newest use of a poster's
    /// thumbnails.
    func recency(
        _ role: CacheWalk.Role, _ file: FileStatus, thumbnailUse: Timestamp? = nil
    ) -> Recency {
        Recency(
            lastUse: max(lastUse(file), thumbnailUse ?? Timestamp(seconds: 0)),
            isPoster: role == .entry(.posters), inode: file.identity.inode)
    }

    /// What a file takes, and how much must go.
    struct Amount: Equatable {
        /// Bytes that a reader gets.
        var bytes = 0
        /// Bytes of the disk that are free once it is deleted.
        var allocated = 0
        var entries = 0
        /// Inodes that are free once it is deleted.
        var inodes = 0

        /// As a need: whether nothing must go.
        var isMet: Bool { bytes <= 0 && allocated <= 0 && entries <= 0 && inodes <= 0 }

        static func += (left: inout Amount, right: Amount) {
            left.bytes += right.bytes
            left.allocated += right.allocated
            left.entries += right.entries
            left.inodes += right.inodes
        }

        static func -= (left: inout Amount, right: Amount) {
            left.bytes -= right.bytes
            left.allocated -= right.allocated
            left.entries -= right.entries
            left.inodes -= right.inodes
        }
    }

    /// What of a need can be met at all by what is left. A limit that an empty cache would exceed, too,
    /// has nothing deleted: it would cost the whole cache every night, and not be met. With a file two
    /// folders may go.
    static func attainable(_ need: Amount, left: Amount) -> Amount {
        var need = need
        if need.allocated > left.allocated { need.allocated = 0 }
        if need.inodes > 3 * left.inodes { need.inodes = 0 }
        return need
    }

    /// Whether there are limits at all.
    var hasLimits: Bool {
        policy.maxBytes != nil || policy.maxEntries != nil || policy.minFreeBytes != nil
    }

    /// What is over the limits, when so much stays after step 1, and `space` is what the disk has
    /// then; `nil` where it does not matter.
    func need(left: Amount, space: DiskSpace?) -> Amount {
        var need = Amount()
        if let most = policy.maxBytes { need.bytes = max(0, left.bytes - most) }
        if let most = policy.maxEntries { need.entries = max(0, left.entries - most) }
        if let least = policy.minFreeBytes, let space {
            need.allocated = max(0, least - space.freeBytes)
            need.inodes = max(0, space.inodesToKeepFree(withBytes: least) - space.freeInodes)
        }
        return need
    }
}

extension EvictionRule.Amount {
    /// What a file takes. With a second name elsewhere it stays on the disk.
    init(_ file: FileStatus) {
        let isLastName = file.links <= 1
        self.init(
            bytes: file.size, allocated: isLastName ? file.allocated : 0, entries: 1,
            inodes: isLastName ? 1 : 0)
    }
}
