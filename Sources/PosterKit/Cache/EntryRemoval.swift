/// How a file is removed although others may replace or renew it at the same moment.
///
/// Whoever removes holds the folder's lock alone while it looks a last time and unlinks; whoever
/// replaces or renews an entry holds it shared. So no new file goes in the old one's stead. The
/// lock is a courtesy: where there are no locks, or a process is stopped while it holds one,
/// writers go on without, and only this guarantee is lost.
enum EntryRemoval {
    /// Removes `name` if it is still the file that `status` tells of, unread but unrenewed.
    /// `false` when it is not, or somebody is about to replace it.
    @discardableResult
    static func remove(
        _ name: String, ifStill status: FileStatus, in folder: Directory
    ) throws(CacheError) -> Bool {
        try folder.withLock(alone: true) { (outcome) throws(CacheError) in
            if case .taken = outcome { return false }
            guard let now = try folder.status(name), now.kind == .regular,
                now.identity == status.identity, now.modified == status.modified,
                now.size == status.size
            else { return false }
            return try folder.unlink(name)
        }
    }

    /// Runs `body`, which replaces or renews an entry of `folder`, while nobody removes one.
    static func standBack<Result>(
        in folder: Directory, _ body: () throws(CacheError) -> Result
    ) throws(CacheError) -> Result {
        try folder.withLock(alone: false, waiting: patience) { (_) throws(CacheError) in
            try body()
        }
    }

    /// Milliseconds that a writer waits for a removal, which takes microseconds.
    private static let patience = 50
}
