import PosterBase

/// What a first look at a cache found: how much there is, what has expired, what was used when, and
/// what the times say of the clock.
struct PruneSurvey {
    typealias Victims = (part: CacheWalk.Part, victims: [EntryRemoval.Victim])

    var plan: EvictionPlan
    private(set) var amount = EvictionRule.Amount()
    private(set) var clock = ClockEvidence()
    /// Dated ahead of the clock; as many as are named.
    private(set) var ahead: [String] = []
    private(set) var aheadCount = 0
    /// By folder.
    private(set) var expired: [Victims] = []
    private(set) var expiredCount = 0
    /// There are more of them than are remembered.
    var isOverfull: Bool { expiredCount > expiredLimit }

    /// When expired thumbnails were used last, as many as are remembered: their uses are their posters',
    /// though they go first.
    private(set) var expiredUses: [String: Timestamp] = [:]

    private var uses = ThumbnailUses()
    private let expiredLimit: Int
    private let carriedLimit: Int

    init(_ rule: EvictionRule, _ bounds: PruneSweep.Bounds) {
        plan = EvictionPlan(rule.uses, exactLimit: bounds.exactUses)
        expiredLimit = bounds.expired
        carriedLimit = bounds.carriedUses
    }

    /// Another shard follows.
    mutating func beginShard() { uses.removeAll() }

    /// Takes note of a file.
    mutating func add(_ item: CacheWalk.Item, _ rule: EvictionRule) {
        let isExpired = rule.isExpired(item.role, item.status)
        if item.role != .temporary {
            amount += EvictionRule.Amount(item.status)
            if rule.isAhead(item.status) {
                aheadCount += 1
                if ahead.count < Prune.Summary.oddityLimit { ahead.append(item.path) }
            }
        }
        if case .entry = item.role { clock.add(item.status, isExpired: isExpired, rule) }
        if isExpired && rule.judgesAge {
            note(item)
            if rule.hasLimits, item.role == .entry(.thumbs) { noteUse(of: item, rule) }
        } else if rule.hasLimits, item.role != .temporary {
            plan.add(
                rule.recency(of: item, &uses), EvictionRule.Amount(item.status))
        }
    }

    /// Remembers an expired file; those of one folder come one after the other.
    private mutating func note(_ item: CacheWalk.Item) {
        expiredCount += 1
        guard !isOverfull else { return expired.removeAll() }
        if expired.last?.part.isSame(as: item.part) != true { expired.append((item.part, [])) }
        expired[expired.count - 1].victims.append(
            .init(name: String(cString: item.name), status: item.status))
    }

    private mutating func noteUse(of item: CacheWalk.Item, _ rule: EvictionRule) {
        let (name, use) = (String(cString: item.name), rule.lastUse(item.status))
        uses.note(item.name, use)
        guard expiredUses.count < carriedLimit else { return }
        expiredUses[name] = max(use, expiredUses[name] ?? use)
    }

    /// Takes in what another thread saw.
    mutating func add(_ other: Self) {
        plan.add(other.plan)
        amount += other.amount
        clock.add(other.clock)
        ahead = Array((ahead + other.ahead).prefix(Prune.Summary.oddityLimit))
        aheadCount += other.aheadCount
        expiredUses.merge(other.expiredUses, uniquingKeysWith: max)
        expired += other.expired
        expiredCount += other.expiredCount
    }
}

extension EvictionRule {
    /// A file's place in the order of eviction, while shards of one name are looked through,
    /// thumbnails first: those are noted, and count for the posters that follow.
    func recency(of item: CacheWalk.Item, _ uses: inout ThumbnailUses) -> Recency {
        var thumbnailUse: Timestamp?
        switch item.role {
        case .entry(.thumbs): uses.note(item.name, lastUse(item.status))
        case .entry(.posters): thumbnailUse = uses.newest(item.name)
        case .list, .temporary: break
        }
        return recency(item.role, item.status, thumbnailUse: thumbnailUse)
    }
}

extension CacheWalk {
    /// All folders that hold files of the cache's own, those of entries by the names of shards, and
    /// of each name those of thumbnails first.
    mutating func shardGroups() -> [[Part]] {
        let parts = parts()
        var groups: [String: [Part]] = [:]
        for kind in [EntryKey.Kind.thumbs, .posters] {
            for part in parts where part.role == .entry(kind) {
                groups[part.name, default: []].append(part)
            }
        }
        let others = parts.filter { $0.role == .list || $0.role == .temporary }
        return groups.sorted { $0.key < $1.key }.map(\.value) + others.map { [$0] }
    }
}

extension CacheWalk.Part {
    /// Whether it is the same folder, found by the same walk.
    func isSame(as other: Self) -> Bool {
        name == other.name && parent.directory === other.parent.directory && role == other.role
    }
}
