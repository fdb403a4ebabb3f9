import PosterBase

extension CacheWalk {
    /// What a pass by several threads came to.
    struct Yield<Found: Sendable>: Sendable {
        /// Of each thread.
        var found: [Found] = []
        /// As ``CacheWalk/foreign``.
        var foreign = 0
        /// As ``CacheWalk/failures``.
        var failures: [FileError] = []
        /// As ``CacheWalk/mounts``.
        var mounts: [String] = []
        /// Folders with nothing in them.
        var empty: [Part] = []
    }

    /// What the threads share.
    private struct Work<Found: Sendable>: Sendable {
        var groups: [[Part]]
        var yield = Yield<Found>()
        var running = 0
    }

    /// Looks through `parts` with so many threads, by default one a core. Each has a `Found` of its
    /// own, which begins as `start`. Blocks; meanwhile `watch` is called several times a second,
    /// and once at the end.
    static func run<Found: Sendable>(
        through parts: [Part], of root: Directory, from start: Found,
        threads count: Int = onlineCores(), watch: () -> Void = {},
        _ visit: @escaping @Sendable (inout Found, Item) -> Void
    ) -> Yield<Found> {
        run(
            through: parts.map { [$0] }, of: root, from: start, threads: count, watch: watch,
            begin: { _ in }, visit)
    }

    /// As ``run(through:of:from:threads:watch:_:)``, for folders that belong together: one thread
    /// looks through those of a group, in their order, and calls `begin` before it does.
    static func run<Found: Sendable>(
        through groups: [[Part]], of root: Directory, from start: Found,
        threads count: Int = onlineCores(), watch: () -> Void = {},
        begin: @escaping @Sendable (inout Found) -> Void,
        _ visit: @escaping @Sendable (inout Found, Item) -> Void
    ) -> Yield<Found> {
        let work = Monitor(Work<Found>(groups: groups.reversed()))
        let job: @Sendable () -> Void = {
            work.withLock { $0.running += 1 }
            var (walk, found, empty) = (CacheWalk(root), start, [Part]())
            while let group = work.withLock({ $0.groups.popLast() }) {
                begin(&found)
                for part in group {
                    let isEmpty = walk.look(through: part) { visit(&found, $0) }
                    if isEmpty { empty.append(part) }
                }
            }
            let (all, done, hollow) = (found, walk, empty)
            work.withLock { work in
                work.yield.found.append(all)
                work.yield.foreign += done.foreign
                work.yield.failures += done.failures
                work.yield.mounts += done.mounts
                work.yield.empty += hollow
                work.running -= 1
            }
            work.notifyAll()
        }
        let threads = (0..<count).compactMap { _ in PosixThread(orNone: "walk", job) }
        // Where there are no threads to be had, it takes longer.
        if threads.isEmpty { job() }
        while work.wait(
            until: .now + .milliseconds(100),
            for: { $0.groups.isEmpty && $0.running == 0 ? true : nil }) == nil
        {
            watch()
        }
        for thread in threads { thread.join() }
        watch()
        return work.withLock { $0.yield }
    }
}
