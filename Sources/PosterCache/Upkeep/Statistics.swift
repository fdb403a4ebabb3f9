package import PosterBase

/// How much a cache holds, by kind and size, and how old it is.
package struct Statistics: Sendable {
    /// One line of the table: `posters/w342`, `thumbs/120x180-cover-q82.jpeg`, `lists`.
    package struct Row: Sendable, Equatable {
        /// The kind and its rendition, as the folders are named.
        package var name: String
        /// Files.
        package var entries = 0
        /// Their bytes, seals included.
        package var bytes = 0
        /// Those past their age.
        package var expired = 0
        /// The oldest mtime.
        package var oldest: Timestamp?
        /// The newest mtime.
        package var newest: Timestamp?
    }

    /// By name.
    package var rows: [Row]
    /// Files that are not the cache's own.
    package var foreign: Int
    /// Files being written, or left by a crash.
    package var temporary: Int
    /// Folders and files that could not be looked at.
    package var failures: [FileError]

    /// Looks at every file of `directory`, not into it. Blocks.
    package static func survey(
        _ directory: String, maxAge: Duration, now: Timestamp
    ) throws(Prune.Refusal) -> Statistics {
        let root = try Prune.openCache(directory)
        let rule = EvictionRule(policy: Prune.Policy(maxAge: maxAge), now: now)
        var walk = CacheWalk(root)
        let seen = CacheWalk.run(through: walk.parts(), of: root, from: Count()) { count, item in
            guard item.role != .temporary else {
                count.temporary += 1
                return
            }
            let name = item.part.rendition
            count.rows[name, default: Row(name: name)].add(item.role, item.status, rule)
        }
        let count = seen.found.reduce(into: Count()) { $0.add($1) }
        return Statistics(
            rows: count.rows.values.sorted { $0.name < $1.name },
            foreign: walk.foreign + seen.foreign, temporary: count.temporary,
            failures: walk.failures + seen.failures)
    }
}

/// What one thread counted.
private struct Count {
    var rows: [String: Statistics.Row] = [:]
    var temporary = 0

    mutating func add(_ other: Count) {
        rows.merge(other.rows) { $0.adding($1) }
        temporary += other.temporary
    }
}

extension Statistics.Row {
    fileprivate mutating func add(
        _ role: CacheWalk.Role, _ status: FileStatus, _ rule: EvictionRule
    ) {
        entries += 1
        bytes += status.size
        if rule.isExpired(role, status) { expired += 1 }
        oldest = min(oldest ?? status.modified, status.modified)
        newest = max(newest ?? status.modified, status.modified)
    }

    fileprivate func adding(_ other: Self) -> Self {
        var sum = self
        sum.entries += other.entries
        sum.bytes += other.bytes
        sum.expired += other.expired
        sum.oldest = [oldest, other.oldest].compactMap { $0 }.min()
        sum.newest = [newest, other.newest].compactMap { $0 }.max()
        return sum
    }
}

extension CacheWalk.Part {
    /// The path without the shard.
    fileprivate var rendition: String {
        if case .entry = role { parent.path } else { path }
    }
}
