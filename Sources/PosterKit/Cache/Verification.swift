/// Reads every entry of a cache and checks its seal.
public struct Verification: Sendable {
    /// What was found.
    public struct Summary: Sendable {
        /// Entries read.
        public var examined = 0
        /// Their bytes.
        public var bytes = 0
        /// The paths, relative to the cache, of those that did not pass, and why.
        public var bad: [(path: String, why: Metrics.BadEntry)] = []
        /// How many of them were deleted.
        public var deleted = 0
        /// Paths that could not be read or deleted.
        public var failures: [CacheError] = []

        /// Nothing found.
        public init() {}
    }

    /// Reads all of `directory` with every core; deletes what is bad when asked to. Blocks.
    /// `progress` is told, several times a second, the entries and bytes read so far.
    ///
    /// A bad entry may be replaced while it is looked at: then it is not deleted.
    public static func run(
        _ directory: String, deletesBad: Bool,
        progress: (_ entries: Int, _ bytes: Int) -> Void = { _, _ in }
    ) throws(Prune.Refusal) -> Summary {
        let root = try Prune.openCache(directory)
        var walk = CacheWalk(root)
        var folders = [CacheDirectory.Folder.lists.rawValue]
        for kind in EntryKey.Kind.allCases {
            walk.shards(kind) { _, folder in folders.append(folder.path) }
        }
        let work = Monitor(Work(folders: folders))
        let pool = WorkerPool<Void>(name: "verify", threads: onlineCores(), capacity: 1024) {}
        defer { pool.stop() }
        for _ in 0..<onlineCores() {
            _ = pool.submit(.background) { _ in
                while let folder = work.withLock({ $0.folders.popLast() }) {
                    VerificationWorker(root, deletesBad: deletesBad, work).verify(folder)
                    work.withLock { $0.foldersDone += 1 }
                }
                work.signal()
            }
        }
        while work.wait(
            until: .now + .milliseconds(100),
            for: { $0.foldersDone == folders.count ? true : nil }) == nil
        {
            let read = work.withLock { $0.summary }
            progress(read.examined, read.bytes)
        }
        let summary = work.withLock { $0.summary }
        progress(summary.examined, summary.bytes)
        return summary
    }

    /// What the threads share.
    struct Work: Sendable {
        /// Relative to the cache, still to be read.
        var folders: [String]
        var foldersDone = 0
        var summary = Summary()
    }
}
