/// One prune, under the lock: looks at all files, then deletes by age, then by use.
struct PruneSweep {
    private(set) var summary = Prune.Summary()

    private let root: Directory
    private let rule: EvictionRule
    /// Disk space that the deleted files took, or would have in a dry run.
    private var allocatedFreed = 0
    /// The thumbnails that a dry run has named with a poster, by inode: two sizes of a poster
    /// take the same ones with them.
    private var namedThumbnails: Set<UInt64> = []

    /// The renditions of thumbnails there are; `nil` before they are asked for.
    private var thumbnailRenditions: [CacheWalk.Folder]?

    /// What the first look found.
    fileprivate struct Survey {
        var plan: EvictionPlan
        var examined = 0
        var bytes = 0
        var newest: Timestamp?
        /// By folder.
        var expired: [(part: CacheWalk.Part, victims: [EntryRemoval.Victim])] = []
        var expiredCount = 0
        /// There are more of them than are remembered.
        var isOverfull: Bool { expiredCount > PruneSweep.expiredLimit }
    }

    /// How many expired files are remembered from the first look; if there are more, a second
    /// look finds them again.
    private static let expiredLimit = 1 << 16
    /// How many files of one folder are gathered before they are removed.
    private static let batchLimit = 1 << 10

    init(_ root: Directory, _ rule: EvictionRule) {
        self.root = root
        self.rule = rule
    }

    mutating func run(_ tell: (String) -> Void) throws(CacheError) {
        let free = rule.policy.minFreeBytes == nil ? 0 : try root.freeBytes()
        var survey = look(judgingAge: true)
        let judgesAge = rule.trustsClock(newest: survey.newest)
        if judgesAge {
            deleteExpired(survey, tell)
        } else {
            survey = look(judgingAge: false)
            summary.clockBehind = survey.newest
        }
        var need = rule.need(bytes: summary.bytesLeft, free: free + allocatedFreed)
        while true {
            switch survey.plan.outcome(need) {
            case .nothing: return
            case .upTo(let line): return evict(upTo: line, judgingAge: judgesAge, tell)
            case .within(let finerPlan, let restOfNeed):
                survey.plan = planned(finerPlan, judgingAge: judgesAge)
                need = restOfNeed
            }
        }
    }

    /// Looks at everything once, counts it, and notes what is expired.
    private mutating func look(judgingAge: Bool) -> Survey {
        let (rule, beginning) = (rule, Timestamp(seconds: 0))
        let empty = Survey(plan: EvictionPlan(beginning...max(beginning, rule.now)))
        var walk = CacheWalk(root)
        let seen = CacheWalk.run(through: walk.parts(), of: root, from: empty) { survey, item in
            if item.role != .temporary { survey.count(item.status) }
            if judgingAge && rule.isExpired(item.role, item.status) {
                survey.note(item)
            } else if rule.hasLimits, case .entry = item.role {
                survey.plan.add(item.status, now: rule.now)
            }
        }
        let survey = seen.found.reduce(into: empty) { $0.add($1) }
        summary = Prune.Summary()
        (summary.examined, summary.bytesLeft) = (survey.examined, survey.bytes)
        summary.foreign = walk.foreign + seen.foreign
        summary.failures = walk.failures + seen.failures
        return survey
    }

    /// Tells a plan of the entries that stay for their age.
    private func planned(_ plan: EvictionPlan, judgingAge: Bool) -> EvictionPlan {
        let rule = rule
        var walk = CacheWalk(root)
        let entries = EntryKey.Kind.allCases.flatMap { walk.shards($0) }
        let seen = CacheWalk.run(through: entries, of: root, from: plan) { plan, item in
            guard !(judgingAge && rule.isExpired(item.role, item.status)) else { return }
            plan.add(item.status, now: rule.now)
        }
        return seen.found.reduce(into: plan) { $0.add($1) }
    }

    private mutating func deleteExpired(_ survey: Survey, _ tell: (String) -> Void) {
        var walk = CacheWalk(root)
        guard !survey.isOverfull else {
            let rule = rule
            return delete(in: walk.parts(), tell) { _, item in
                rule.isExpired(item.role, item.status)
            }
        }
        // Thumbnails go before their posters, as everywhere.
        for isPoster in [false, true] {
            for (part, victims) in survey.expired where part.holdsPosters == isPoster {
                guard let folder = walk.open(part) else { continue }
                delete(victims, of: part, in: folder, tell)
            }
        }
        summary.failures += walk.failures
    }

    /// Deletes what was used at or before `line`, and with each poster its thumbnails, first.
    private mutating func evict(
        upTo line: EvictionRule.Recency, judgingAge: Bool, _ tell: (String) -> Void
    ) {
        let rule = rule
        func goes(_ role: CacheWalk.Role, _ status: FileStatus) -> Bool {
            EvictionRule.Recency(status, now: rule.now) <= line
                && !(judgingAge && rule.isExpired(role, status))
        }
        var walk = CacheWalk(root)
        let entries = EntryKey.Kind.allCases.flatMap { walk.shards($0) }
        delete(in: entries, tell) { sweep, item in
            guard goes(item.role, item.status) else { return false }
            guard item.part.holdsPosters else { return true }
            // Those that go for their own use have their own turn.
            for (part, folder, victim) in sweep.thumbnails(of: item)
            where !goes(part.role, victim.status) && sweep.isFirstTime(victim.status) {
                sweep.delete([victim], of: part, in: folder, tell)
            }
            return true
        }
    }

    /// The thumbnails of a poster, which bear its file name and lie in shards of the same name.
    private mutating func thumbnails(
        of poster: CacheWalk.Item
    ) -> [(CacheWalk.Part, Directory, EntryRemoval.Victim)] {
        var walk = CacheWalk(root)
        let renditions = thumbnailRenditions ?? walk.renditions(.thumbs)
        thumbnailRenditions = renditions
        let name = String(cString: poster.name)
        var found: [(CacheWalk.Part, Directory, EntryRemoval.Victim)] = []
        for rendition in renditions {
            let part = CacheWalk.Part(
                role: .entry(.thumbs), parent: rendition, name: poster.part.name)
            do throws(CacheError) {
                guard try rendition.directory.hasFile("\(part.name)/\(name)"),
                    let folder = walk.open(part), let status = try folder.status(name),
                    status.kind == .regular
                else { continue }
                found.append((part, folder, .init(name: name, status: status)))
            } catch { summary.failures.append(error) }
        }
        return found
    }

    private mutating func isFirstTime(_ thumbnail: FileStatus) -> Bool {
        !rule.policy.isDryRun || namedThumbnails.insert(thumbnail.identity.inode).inserted
    }

    /// Looks through folders anew, and deletes what `goes`.
    private mutating func delete(
        in parts: [CacheWalk.Part], _ tell: (String) -> Void,
        goes: (inout PruneSweep, CacheWalk.Item) -> Bool
    ) {
        var walk = CacheWalk(root)
        for part in parts {
            var (batch, folder) = ([EntryRemoval.Victim](), Directory?.none)
            walk.look(through: part) { item in
                guard goes(&self, item) else { return }
                batch.append(.init(name: String(cString: item.name), status: item.status))
                folder = item.directory
                guard batch.count >= Self.batchLimit else { return }
                delete(batch, of: part, in: item.directory, tell)
                batch = []
            }
            if let folder { delete(batch, of: part, in: folder, tell) }
        }
    }

    /// Deletes files of one folder, if they are still as they were seen: they may have been
    /// renewed or replaced since.
    private mutating func delete(
        _ victims: [EntryRemoval.Victim], of part: CacheWalk.Part, in folder: Directory,
        _ tell: (String) -> Void
    ) {
        guard !rule.policy.isDryRun else {
            for victim in victims { note(victim, of: part, tell) }
            return
        }
        EntryRemoval.remove(victims, in: folder) { victim, outcome in
            switch outcome {
            case .success(true): note(victim, of: part, tell)
            case .success(false): break
            case .failure(let error): summary.failures.append(error)
            }
        }
    }

    private mutating func note(
        _ victim: EntryRemoval.Victim, of part: CacheWalk.Part, _ tell: (String) -> Void
    ) {
        summary.deleted += 1
        summary.bytesFreed += victim.status.size
        if part.role != .temporary { summary.bytesLeft -= victim.status.size }
        allocatedFreed += victim.status.allocated
        tell("\(part.path)/\(victim.name)")
    }
}

extension PruneSweep.Survey {
    fileprivate mutating func count(_ file: FileStatus) {
        examined += 1
        bytes += file.size
        newest = max(newest ?? file.modified, file.modified)
    }

    /// Remembers an expired file; those of one folder come one after the other.
    fileprivate mutating func note(_ item: CacheWalk.Item) {
        expiredCount += 1
        guard !isOverfull else { return expired.removeAll() }
        if expired.last?.part.isSame(as: item.part) != true { expired.append((item.part, [])) }
        expired[expired.count - 1].victims.append(
            .init(name: String(cString: item.name), status: item.status))
    }

    /// Takes in what another thread saw.
    fileprivate mutating func add(_ other: Self) {
        plan.add(other.plan)
        examined += other.examined
        bytes += other.bytes
        newest = [newest, other.newest].compactMap { $0 }.max()
        expired += other.expired
        expiredCount += other.expiredCount
    }
}

extension CacheWalk.Part {
    fileprivate var holdsPosters: Bool { role == .entry(.posters) }

    fileprivate func isSame(as other: Self) -> Bool {
        name == other.name && parent.directory === other.parent.directory && role == other.role
    }
}

extension EvictionPlan {
    fileprivate mutating func add(_ file: FileStatus, now: Timestamp) {
        add(
            EvictionRule.Recency(file, now: now), bytes: file.size, allocated: file.allocated)
    }
}
