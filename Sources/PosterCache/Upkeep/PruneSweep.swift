import PosterBase

/// One prune, under the lock: looks at all files, deletes by age, then by use, and removes the
/// folders that are empty then.
struct PruneSweep {
    /// Bounds on what is remembered of a cache of any size. What is over them is looked at again.
    struct Bounds: Sendable {
        /// Files whose last use is known to the moment.
        var exactUses = EvictionPlan.exactLimit
        /// Expired files from the first look.
        var expired = 1 << 16
        /// Files that could not be deleted and are not tried again.
        var spared = 1 << 16
        /// Posters whose expired thumbnails' uses are remembered.
        var carriedUses = 1 << 16
        /// Files of one folder that are gathered before they are deleted.
        var batch = 1 << 10
    }

    /// Why a file is not planned with any more.
    private enum Sparing {
        /// It is not the cache's own, or has been named in a dry run.
        case uncounted
        /// It cannot be deleted, and is part of what is left.
        case undeletable
    }

    private(set) var summary = Prune.Summary()

    private let root: Directory
    private var rule: EvictionRule
    private let bounds: Bounds
    /// What stays, as far as is known.
    private var left = EvictionRule.Amount()
    /// What the disk has, or would have after a dry run; `nil` where it does not matter.
    private var space: DiskSpace?
    /// Files that are not to be planned with any more.
    private var spared: [FileStatus.Identity: Sparing] = [:]
    /// When expired thumbnails were used last.
    private var carriedUses: [String: Timestamp] = [:]
    /// Folders in which there is nothing, or of which something was deleted.
    private var hollow: [CacheWalk.Part] = []
    private var told: Set<FileError> = []

    init(_ root: Directory, _ rule: EvictionRule, _ bounds: Bounds = Bounds()) {
        self.root = root
        self.rule = rule
        self.bounds = bounds
    }

    mutating func run(_ tell: (String) -> Void) throws(FileError) {
        if rule.policy.minFreeBytes != nil { space = try root.space() }
        let steadySpan = steadySpan()
        var survey = look()
        if let doubt = survey.clock.doubt(steadyFor: steadySpan), !rule.policy.trustsClock {
            summary.clockDoubt = doubt
            rule.judgesAge = false
            survey = look()
        }
        note(survey)
        carriedUses = survey.expiredUses
        deleteExpired(survey, tell)
        removeEmptyFolders()
        evict(by: survey.plan, tell)
        summary.bytesLeft = left.bytes
        summary.entriesLeft = left.entries
        summary.unmet = unmet()
    }

    private mutating func steadySpan() -> Duration {
        do throws(FileError) {
            return try PruneRecord(root: root).steadySpan(
                now: rule.now, isDryRun: rule.policy.isDryRun)
        } catch {
            // A directory that takes no files, or only deletions.
            return .zero
        }
    }

    /// Looks at everything once.
    private mutating func look() -> PruneSurvey {
        let (rule, empty) = (rule, PruneSurvey(rule, bounds))
        var walk = CacheWalk(root)
        // Without limits the order of use does not matter, and folders are looked at as they lie.
        let groups = rule.hasLimits ? walk.shardGroups() : walk.parts().map { [$0] }
        let seen = CacheWalk.run(
            through: groups, of: root, from: empty, begin: { $0.beginShard() }
        ) { survey, item in survey.add(item, rule) }
        (summary.oddities, summary.oddityCount) = ([], 0)
        summary.foreign = walk.foreign + seen.foreign
        fail(with: walk.failures + seen.failures)
        for mount in walk.mounts + seen.mounts { leave(mount, .mounted) }
        hollow = seen.empty
        return seen.found.reduce(into: empty) { $0.add($1) }
    }

    private mutating func note(_ survey: PruneSurvey) {
        left = survey.amount
        summary.examined = left.entries
        for path in survey.ahead { leave(path, .datedAhead) }
        summary.oddityCount += survey.aheadCount - survey.ahead.count
    }

    /// Tells a plan of the files that stay for their age, and counts what is there.
    private mutating func planned(
        _ plan: EvictionPlan
    ) -> (plan: EvictionPlan, left: EvictionRule.Amount) {
        let (rule, spared) = (rule, spared)
        var walk = CacheWalk(root)
        let start = (
            plan: plan, uses: ThumbnailUses(carried: carriedUses), left: EvictionRule.Amount()
        )
        let seen = CacheWalk.run(
            through: walk.shardGroups(), of: root, from: start, begin: { $0.uses.removeAll() }
        ) { found, item in
            let sparing = spared[item.status.identity]
            guard item.role != .temporary, sparing != .uncounted else { return }
            found.left += EvictionRule.Amount(item.status)
            guard sparing == nil, !rule.goesForAge(item.role, item.status) else { return }
            found.plan.add(
                rule.recency(of: item, &found.uses), EvictionRule.Amount(item.status))
        }
        fail(with: walk.failures + seen.failures)
        return seen.found.reduce(into: (plan, EvictionRule.Amount())) { sum, found in
            sum.plan.add(found.plan)
            sum.left += found.left
        }
    }

    private mutating func deleteExpired(_ survey: PruneSurvey, _ tell: (String) -> Void) {
        guard rule.judgesAge else { return }
        var walk = CacheWalk(root)
        if survey.isOverfull {
            let rule = rule
            delete(in: walk.parts().map { [$0] }, tell) { item, _ in
                rule.isExpired(item.role, item.status)
            }
        } else {
            // Thumbnails go before their posters, as everywhere.
            for isPoster in [false, true] {
                for (part, victims) in survey.expired
                where (part.role == .entry(.posters)) == isPoster {
                    guard let folder = walk.open(part) else { continue }
                    delete(victims, of: part, in: folder, tell)
                }
            }
        }
        fail(with: walk.failures)
    }

    /// Deletes what was used longest ago until the limits are met. What turns out not to be the
    /// cache's own, or cannot be deleted, is made up for by what was used next.
    private mutating func evict(by first: EvictionPlan, _ tell: (String) -> Void) {
        var (plan, fruitless) = (first, 0)
        // With a file two folders may go, which no plan knows before: no more go than must.
        var inodesPerFile = rule.policy.isDryRun ? 1 : 3
        let all = rule.need(left: left, space: space)
        let attainable = EvictionRule.attainable(all, left: left)
        while spared.count <= bounds.spared, fruitless < 3 {
            var need = rule.need(left: left, space: space)
            if attainable.allocated == 0 { need.allocated = 0 }
            if attainable.inodes == 0 { need.inodes = 0 }
            need.inodes = (need.inodes + inodesPerFile - 1) / inodesPerFile
            guard let line = line(of: plan, need) else { return }
            let before = (deleted: summary.deleted, spared: spared.count)
            let inodesBefore = space?.freeInodes ?? 0
            evict(upTo: line, tell)
            removeEmptyFolders()
            guard !rule.need(left: left, space: space).isMet else { return }
            let deleted = summary.deleted - before.deleted
            let inodes = (space?.freeInodes ?? 0) - inodesBefore
            inodesPerFile = max(1, inodes / max(1, deleted))
            // All that was to go may have been used since it was looked at.
            fruitless = deleted == 0 && spared.count == before.spared ? fruitless + 1 : 0
            // Only another look shows what other processes deleted and wrote meanwhile.
            (plan, left) = planned(EvictionPlan(rule.uses, exactLimit: bounds.exactUses))
            lookAtSpace()
        }
    }

    /// Takes note of what other processes freed. What was freed here may be free on the disk only
    /// later.
    private mutating func lookAtSpace() {
        guard let known = space, !rule.policy.isDryRun else { return }
        do throws(FileError) {
            let now = try root.space()
            space?.freeBytes = max(known.freeBytes, now.freeBytes)
            space?.freeInodes = max(known.freeInodes, now.freeInodes)
        } catch { fail(with: [error]) }
    }

    /// What was used then and before must go; `nil`: there is nothing that could.
    private mutating func line(
        of plan: EvictionPlan, _ need: EvictionRule.Amount
    ) -> EvictionRule.Recency? {
        var (plan, need) = (plan, need)
        while true {
            switch plan.outcome(need) {
            case .nothing: return nil
            case .upTo(let line): return line
            case .within(let finer, let rest): (plan, need) = (planned(finer).plan, rest)
            }
        }
    }

    private mutating func evict(upTo line: EvictionRule.Recency, _ tell: (String) -> Void) {
        let (rule, spared) = (rule, spared)
        var walk = CacheWalk(root)
        delete(in: walk.shardGroups(), tell) { item, uses in
            guard item.role != .temporary, spared[item.status.identity] == nil,
                !rule.goesForAge(item.role, item.status)
            else { return false }
            return rule.recency(of: item, &uses) <= line
        }
        fail(with: walk.failures)
    }

    /// The limits that are exceeded in spite of all.
    private func unmet() -> [Prune.UnmetLimit] {
        let need = rule.need(left: left, space: space)
        var unmet: [Prune.UnmetLimit] = []
        if need.bytes > 0 { unmet.append(.maxBytes(left.bytes)) }
        if need.entries > 0 { unmet.append(.maxEntries(left.entries)) }
        guard let space, let least = rule.policy.minFreeBytes else { return unmet }
        if need.allocated > 0 { unmet.append(.minFreeBytes(space.freeBytes)) }
        if need.inodes > 0 {
            let wanted = space.inodesToKeepFree(withBytes: least)
            unmet.append(.minFreeInodes(space.freeInodes, wanted: wanted))
        }
        return unmet
    }

    /// Looks through folders again, and deletes what `goes`. Thumbnails that a group begins with
    /// are gone before its posters.
    private mutating func delete(
        in groups: [[CacheWalk.Part]], _ tell: (String) -> Void,
        goes: (CacheWalk.Item, inout ThumbnailUses) -> Bool
    ) {
        var (walk, uses) = (CacheWalk(root), ThumbnailUses(carried: carriedUses))
        for group in groups {
            uses.removeAll()
            for part in group {
                var (batch, folder) = ([EntryRemoval.Victim](), Directory?.none)
                walk.look(through: part) { item in
                    guard goes(item, &uses) else { return }
                    batch.append(.init(name: String(cString: item.name), status: item.status))
                    folder = item.directory
                    guard batch.count >= bounds.batch else { return }
                    delete(batch, of: part, in: item.directory, tell)
                    batch = []
                }
                if let folder { delete(batch, of: part, in: folder, tell) }
            }
        }
        fail(with: walk.failures)
    }

    /// Deletes files of one folder, if they are the cache's own and still as they were seen: they
    /// may have been renewed or replaced since.
    private mutating func delete(
        _ victims: [EntryRemoval.Victim], of part: CacheWalk.Part, in folder: Directory,
        _ tell: (String) -> Void
    ) {
        let own =
            part.role == .temporary ? victims : victims.filter { isOwn($0, of: part, in: folder) }
        guard !rule.policy.isDryRun else {
            for victim in own {
                note(victim, of: part, tell)
                spared[victim.status.identity] = .uncounted
            }
            return
        }
        let before = summary.deleted
        EntryRemoval.remove(own, in: folder) { victim, outcome in
            switch outcome {
            case .success(.removed): note(victim, of: part, tell)
            case .success(.gone):
                if part.role != .temporary { left -= EvictionRule.Amount(victim.status) }
            case .success(.changed): break
            case .failure(let error):
                spared[victim.status.identity] = .undeletable
                fail(with: [error])
            }
        }
        if summary.deleted > before { hollow.append(part) }
    }

    private mutating func note(
        _ victim: EntryRemoval.Victim, of part: CacheWalk.Part, _ tell: (String) -> Void
    ) {
        let amount = EvictionRule.Amount(victim.status)
        summary.deleted += 1
        summary.bytesFreed += amount.bytes
        space?.freeBytes += amount.allocated
        space?.freeInodes += amount.inodes
        if part.role != .temporary { left -= amount }
        tell("\(part.path)/\(victim.name)")
    }

    /// Whether a file is more than its name says; if not, it is named and no part of the cache.
    private mutating func isOwn(
        _ victim: EntryRemoval.Victim, of part: CacheWalk.Part, in folder: Directory
    ) -> Bool {
        do throws(FileError) {
            guard try !SealedFile.isOwn(folder.open(victim.name), size: victim.status.size) else {
                return true
            }
            leave("\(part.path)/\(victim.name)", .unsealed)
            summary.foreign += 1
            left -= EvictionRule.Amount(victim.status)
            spared[victim.status.identity] = .uncounted
        } catch {
            // It is gone, or something else lies there by now.
            if error.isMissing || error.isPlanted {
                left -= EvictionRule.Amount(victim.status)
                spared[victim.status.identity] = .uncounted
            } else {
                fail(with: [error])
                spared[victim.status.identity] = .undeletable
            }
        }
        return false
    }

    /// Removes the folders in which nothing is left. A process that is about to write there finds
    /// that they are missing, and makes them again.
    private mutating func removeEmptyFolders() {
        guard !rule.policy.isDryRun else { return }
        for part in hollow where part.role != .list && part.role != .temporary {
            remove(part.name, from: part.parent.directory)
        }
        hollow = []
        var walk = CacheWalk(root)
        for kind in EntryKey.Kind.allCases {
            guard let top = walk.top(kind) else { continue }
            for rendition in walk.renditions(kind) where rendition.directory.isEmpty {
                remove(rendition.name, from: top.directory)
            }
        }
    }

    private mutating func remove(_ name: String, from folder: Directory) {
        do throws(FileError) {
            if try folder.removeDirectory(name) { space?.freeInodes += 1 }
        } catch { fail(with: [error]) }
    }

    private mutating func leave(_ path: String, _ reason: Prune.Oddity.Reason) {
        summary.oddityCount += 1
        guard summary.oddities.count < Prune.Summary.oddityLimit else { return }
        summary.oddities.append(Prune.Oddity(path: path, reason: reason))
    }

    /// Tells of failures, of each once.
    private mutating func fail(with errors: [FileError]) {
        for error in errors where told.insert(error).inserted { summary.failures.append(error) }
    }
}
