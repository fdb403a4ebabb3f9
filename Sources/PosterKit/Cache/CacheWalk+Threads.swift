extension CacheWalk {
    /// What a pass by several threads came to.
    struct Yield<Found: Sendable>: Sendable {
        /// Of each thread.
        var found: [Found] = []
        /// As ``CacheWalk/foreign``.
        var foreign = 0
        /// As ``CacheWalk/failures``.
        var failures: [CacheError] = []
    }

    /// What the threads share.
    private struct Work<Found: Sendable>: Sendable {
        var parts: [Part]
        var yield = Yield<Found>()
        var running = 0
    }

    /// Looks through `parts` with so many threads, by default one a core. Each has a `Found` of its
    /// own, which begins as `start`. Blocks; meanwhile `watch` is called several times a second, and
    /// once at the end.
    static func run<Found: Sendable>(
        through parts: [Part], of root: Directory, from start: Found,
        threads count: Int = onlineCores(), watch: () -> Void = {},
        _ visit: @escaping @Sendable (inout Found, Item) -> Void
    ) -> Yield<Found> {
        let work = Monitor(Work<Found>(parts: parts.reversed()))
        let job: @Sendable () -> Void = {
            work.withLock { $0.running += 1 }
            var (walk, found) = (CacheWalk(root), start)
            while let part = work.withLock({ $0.parts.popLast() }) {
                walk.look(through: part) { visit(&found, $0) }
            }
            let (all, foreign, failures) = (found, walk.foreign, walk.failures)
            work.withLock { work in
                work.yield.found.append(all)
                work.yield.foreign += foreign
                work.yield.failures += failures
                work.running -= 1
            }
            work.signal()
        }
        let threads = (0..<count).compactMap { _ in PosixThread(orNone: "walk", job) }
        // Where there are no threads to be had, it takes longer.
        if threads.isEmpty { job() }
        while work.wait(
            until: .now + .milliseconds(100),
            for: { $0.parts.isEmpty && $0.running == 0 ? true : nil }) == nil
        {
            watch()
        }
        for thread in threads { thread.join() }
        watch()
        return work.withLock { $0.yield }
    }
}
