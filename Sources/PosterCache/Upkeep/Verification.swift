package import PosterBase

/// Reads every entry of a cache and checks its seal.
package struct Verification: Sendable {
    /// What was found.
    package struct Summary: Sendable {
        /// Entries read.
        package var examined = 0
        /// Their bytes.
        package var bytes = 0
        /// The paths, relative to the cache, of those that did not pass, and why. One without a
        /// seal may not be the cache's own, and is never deleted.
        package var bad: [(path: String, why: EntryFault)] = []
        /// How many of them were deleted.
        package var deleted = 0
        /// Paths that could not be read or deleted.
        package var failures: [FileError] = []

        /// Nothing found.
        package init() {}
    }

    /// A thread waits for the disk most of the time, and there have to be enough of them that
    /// neither the disk nor a core waits for one.
    private static let threadsPerCore = 4

    /// Reads all of `directory` with every core; deletes what is bad when asked to. Blocks.
    /// `progress` is told, several times a second, what is read so far, and how many entries
    /// there are; `nil` as long as they are still being counted.
    ///
    /// A bad entry may be replaced while it is looked at: then it is not deleted.
    package static func run(
        _ directory: String, deletesBad: Bool,
        progress: (_ read: Summary, _ total: Int?) -> Void = { _, _ in }
    ) throws(Prune.Refusal) -> Summary {
        let root = try Prune.openCache(directory)
        var walk = CacheWalk(root)
        let parts = EntryKey.Kind.allCases.flatMap { walk.shards($0) } + [.lists(in: root)]
        let (summary, total) = (Monitor(Summary()), Monitor<Int?>(nil))
        let count = { @Sendable in
            let count = parts.reduce(0) { $0 + CacheWalk.count(in: $1) }
            total.withLock { $0 = count }
        }
        // Beside the reading, which finds the folders in memory then; but before anything is
        // deleted.
        if deletesBad { count() }
        let counter = deletesBad ? nil : PosixThread(orNone: "count", count)
        let seen = CacheWalk.run(
            through: parts, of: root, from: [FileError](),
            threads: onlineCores() * threadsPerCore,
            watch: { progress(summary.withLock { $0 }, total.withLock { $0 }) }
        ) { failures, item in
            do throws(FileError) { try verify(item, deletesBad, summary) } catch {
                // It was replaced or removed meanwhile.
                if !error.isMissing { failures.append(error) }
            }
        }
        counter?.join()
        progress(summary.withLock { $0 }, total.withLock { $0 })
        return summary.withLock { summary in
            summary.failures = walk.failures + seen.failures + seen.found.joined()
            return summary
        }
    }

    private static func verify(
        _ item: CacheWalk.Item, _ deletesBad: Bool, _ summary: Monitor<Summary>
    ) throws(FileError) {
        let name = String(cString: item.name)
        let (status, fault) = try look(at: item, name)
        summary.withLock { summary in
            summary.examined += 1
            summary.bytes += status.size
            if let fault { summary.bad.append((item.path, fault)) }
        }
        guard fault != nil, deletesBad,
            try SealedFile.isOwn(item.directory.open(name), size: status.size)
        else { return }
        var failure: FileError?
        EntryRemoval.remove([.init(name: name, status: status)], in: item.directory) { _, outcome in
            switch outcome {
            case .success(.removed): summary.withLock { $0.deleted += 1 }
            case .success(.gone), .success(.changed): break
            case .failure(let error): failure = error
            }
        }
        if let failure { throw failure }
    }

    private static func look(
        at item: CacheWalk.Item, _ name: String
    ) throws(FileError) -> (FileStatus, EntryFault?) {
        do throws(SealedFile.Fault) {
            let file = try SealedFile(
                belongsHere: { key in
                    item.role == .list ? SealedPlace(list: key).name == name : key == item.path
                },
                opening: { () throws(FileError) in try item.directory.open(name) })
            return (file.status, file.isUnaltered ? nil : .body)
        } catch {
            switch error {
            case .disk(let error): throw error
            case .bad(let reason, let status): return (status, reason)
            }
        }
    }
}
