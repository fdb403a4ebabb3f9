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
    private var thumbnailRenditions: [String]?

    /// A file that was found expired, and how it looked then.
    private struct Candidate {
        let role: CacheWalk.Role
        /// No open folder: there may be thousands.
        let folder: String
        let name: String
        let status: FileStatus
    }

    /// What the first look found.
    private struct Survey {
        var plan: EvictionPlan
        var newest: Timestamp?
        var expired: [Candidate] = []
        /// There are more of them than are remembered.
        var isOverfull = false
    }

    /// How many expired files are remembered from the first look; if there are more, a second
    /// look finds them again.
    private static let candidateLimit = 1 << 14

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
                (survey.plan, need) = (finerPlan, restOfNeed)
                Self.eachEntry(root) { item in
                    guard !(judgesAge && rule.isExpired(item.role, item.status)) else { return }
                    survey.plan.add(item.status, now: rule.now)
                }
            }
        }
    }

    /// Looks at everything once, counts it, and notes what is expired.
    private mutating func look(judgingAge: Bool) -> Survey {
        let beginning = Timestamp(seconds: 0)
        var survey = Survey(plan: EvictionPlan(beginning...max(beginning, rule.now)))
        summary = Prune.Summary()
        var walk = CacheWalk(root)
        walk.run { item in
            if item.role != .temporary {
                summary.examined += 1
                summary.bytesLeft += item.status.size
                survey.newest = max(survey.newest ?? item.status.modified, item.status.modified)
            }
            if judgingAge && rule.isExpired(item.role, item.status) {
                survey.isOverfull = survey.expired.count >= Self.candidateLimit
                guard !survey.isOverfull else { return }
                survey.expired.append(
                    Candidate(
                        role: item.role, folder: item.folder.path,
                        name: String(cString: item.name), status: item.status))
            } else if rule.hasLimits, case .entry = item.role {
                survey.plan.add(item.status, now: rule.now)
            }
        }
        (summary.foreign, summary.failures) = (walk.foreign, walk.failures)
        return survey
    }

    private mutating func deleteExpired(_ survey: Survey, _ tell: (String) -> Void) {
        guard !survey.isOverfull else {
            var walk = CacheWalk(root)
            return walk.run { item in
                guard rule.isExpired(item.role, item.status) else { return }
                delete(item.role, String(cString: item.name), item.status, in: item.folder, tell)
            }
        }
        var folder: CacheWalk.Folder?
        for found in survey.expired {
            if folder?.path != found.folder {
                var walk = CacheWalk(root)
                folder = walk.folder(at: found.folder)
            }
            guard let folder else { continue }
            delete(found.role, found.name, found.status, in: folder, tell)
        }
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
        Self.eachEntry(root) { item in
            guard goes(item.role, item.status) else { return }
            let name = String(cString: item.name)
            if item.role == .entry(.posters) {
                // Those that go for their own use have their own turn.
                for (folder, status) in thumbnails(of: name, item.folder)
                where !goes(.entry(.thumbs), status) && isFirstTime(status) {
                    delete(.entry(.thumbs), name, status, in: folder, tell)
                }
            }
            delete(item.role, name, item.status, in: item.folder, tell)
        }
    }

    private static func eachEntry(_ root: Directory, _ visit: (CacheWalk.Item) -> Void) {
        var walk = CacheWalk(root)
        walk.entries(.posters, visit)
        walk.entries(.thumbs, visit)
    }

    /// The thumbnails of a poster, which bear its file name and lie in shards of the same name.
    private mutating func thumbnails(
        of name: String, _ posters: CacheWalk.Folder
    ) -> [(CacheWalk.Folder, FileStatus)] {
        var walk = CacheWalk(root)
        let renditions = thumbnailRenditions ?? walk.renditions(.thumbs)
        thumbnailRenditions = renditions
        var found: [(CacheWalk.Folder, FileStatus)] = []
        for rendition in renditions {
            let path = "\(EntryKey.Kind.thumbs.rawValue)/\(rendition)/\(posters.lastName)"
            do {
                guard try root.hasFile("\(path)/\(name)"), let folder = walk.folder(at: path),
                    let status = try folder.directory.status(name), status.kind == .regular
                else { continue }
                found.append((folder, status))
            } catch { summary.failures.append(error) }
        }
        return found
    }

    private mutating func isFirstTime(_ thumbnail: FileStatus) -> Bool {
        !rule.policy.isDryRun || namedThumbnails.insert(thumbnail.identity.inode).inserted
    }

    private mutating func delete(
        _ role: CacheWalk.Role, _ name: String, _ status: FileStatus, in folder: CacheWalk.Folder,
        _ tell: (String) -> Void
    ) {
        if !rule.policy.isDryRun {
            // Looks at it again: it may have been renewed or replaced since.
            do {
                guard try EntryRemoval.remove(name, ifStill: status, in: folder.directory) else {
                    return
                }
            } catch {
                summary.failures.append(error)
                return
            }
        }
        summary.deleted += 1
        summary.bytesFreed += status.size
        if role != .temporary { summary.bytesLeft -= status.size }
        allocatedFreed += status.allocated
        tell("\(folder.path)/\(name)")
    }
}

extension EvictionPlan {
    fileprivate mutating func add(_ file: FileStatus, now: Timestamp) {
        add(
            EvictionRule.Recency(file, now: now), bytes: file.size, allocated: file.allocated)
    }
}
