/// How much a cache holds, by kind and size, and how old it is.
public struct Statistics: Sendable {
    /// One line of the table: `posters/w342`, `thumbs/120x180-cover-q82.jpeg`, `lists`.
    public struct Row: Sendable, Equatable {
        /// The kind and its rendition, as the folders are named.
        public var name: String
        /// Files.
        public var entries = 0
        /// Their bytes, seals included.
        public var bytes = 0
        /// Those past their age.
        public var expired = 0
        /// The oldest mtime.
        public var oldest: Timestamp?
        /// The newest mtime.
        public var newest: Timestamp?
    }

    /// By name.
    public var rows: [Row]
    /// Files that are not the cache's own.
    public var foreign: Int
    /// Files being written, or left by a crash.
    public var temporary: Int

    /// Looks at every file of `directory`, not into it. Blocks.
    public static func survey(
        _ directory: String, maxAge: Duration, now: Timestamp
    ) throws(Prune.Refusal) -> Statistics {
        var walk = CacheWalk(try Prune.openCache(directory))
        let rule = EvictionRule(policy: Prune.Policy(maxAge: maxAge), now: now)
        var rows: [String: Row] = [:]
        var temporary = 0
        walk.run { item in
            guard item.role != .temporary else {
                temporary += 1
                return
            }
            let name = item.folder.rendition
            rows[name, default: Row(name: name)].add(item, rule)
        }
        return Statistics(
            rows: rows.values.sorted { $0.name < $1.name }, foreign: walk.foreign,
            temporary: temporary)
    }
}

extension Statistics.Row {
    fileprivate mutating func add(_ item: CacheWalk.Item, _ rule: EvictionRule) {
        entries += 1
        bytes += item.status.size
        if rule.isExpired(item.role, item.status) { expired += 1 }
        oldest = min(oldest ?? item.status.modified, item.status.modified)
        newest = max(newest ?? item.status.modified, item.status.modified)
    }
}

extension CacheWalk.Folder {
    /// The path without the shard.
    fileprivate var rendition: String {
        path.split(separator: "/").prefix(2).joined(separator: "/")
    }
}
