import Amodb
import Foundation
import Testing
import TestSupport

@testable import FixtureOrigin
@testable import PosterBase
@testable import PosterImages
@testable import PosterKit
@testable import PosterLists

/// A store that is let go of ends its threads; an async caller is held up by nothing.
@Suite struct StoreLifetimeTests {
    @Test func `ten stores that were used and let go of leave no thread`() async {
        await #expect(processExitsWith: .success) {
            let origin = try Origin(fixtures: Fixtures.folder)
            let folder = TemporaryDirectory()
            for number in 0..<10 {
                var configuration = Configuration(cacheDirectory: "\(folder.path)/\(number)")
                configuration.imageBase = try BaseURL(origin.imageBase)
                configuration.apiBase = try BaseURL(origin.apiBase)
                configuration.apiKey = Secret("fixture-key")
                let store = try PosterStore(configuration, log: .silent)
                let lists = try ListStore(configuration, log: .silent)
                // They name themselves when they begin.
                while kitThreads().count < 10 { sched_yield() }
                // Every other one was never asked for anything.
                guard number.isMultiple(of: 2) else { continue }
                let variant = try ThumbnailVariant(width: 60, height: 90)
                let request = PosterRequest(Fixtures.posters[number], .thumbnail(variant))
                let answer = try await store.answer(request, by: .now + .seconds(3600))
                #expect(answer.picture != nil)
                _ = try await lists.answer(ListRequest(list: "trending/movie/week"))
                _ = store.holdings()
            }
            // A job may have been the last to hold its store, and the kernel takes a moment to
            // forget a thread.
            let end = ContinuousClock.now + .seconds(60)
            while !kitThreads().isEmpty, ContinuousClock.now < end { sched_yield() }
            guard kitThreads().isEmpty else { exit(1) }
            origin.stop()
        }
    }

    /// A store whose one transfer thread stands at a gate.
    private func heldStore(_ bench: StoreBench, _ gate: Gate) throws -> PosterStore {
        let store = try bench.store { $0.concurrency = 1 }
        let isQueued = store.transfers.submit(.live) { [gate] _ in gate.pass() }
        #expect(isQueued)
        return store
    }

    @Test @MainActor func `an actor goes on while its call waits`() async throws {
        let (bench, gate) = (StoreBench(), Gate())
        let store = try heldStore(bench, gate)
        let path = Fixtures.posters[0]
        let pending = Task { @MainActor in
            try await store.answer(PosterRequest(path, .poster(.w342)))
        }
        // On the main actor, too: it runs although that call waits.
        let isRunning = Task { @MainActor in true }
        #expect(await isRunning.value)
        gate.open()
        #expect(try await pending.value.state.source == .fetched)
    }

    @Test func `a task that is cancelled does not wait, and its poster is cached all the same`()
        async throws
    {
        let (bench, gate) = (StoreBench(), Gate())
        let store = try heldStore(bench, gate)
        let path = Fixtures.posters[0]
        let pending = Task { try await store.answer(PosterRequest(path, .poster(.w342))) }
        // Not blocking: the tests' own threads are few, and the task needs one.
        while store.load.fetchesWaiting == 0 { await Task.yield() }
        pending.cancel()
        await #expect(throws: CancellationError.self) { try await pending.value }
        gate.open()
        #expect(store.ask(PosterRequest(path, .poster(.w342))).picture != nil)
        #expect(bench.requests(path, .w342) == 1)
    }
}

/// The names of this process's threads that belong to stores.
private func kitThreads() -> [String] {
    let names: Set = [
        "pixels", "transfers", "diskWriters", "deadlines", "census", "lists", "async",
    ]
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return tasks.compactMap { task in
        let name = try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)
        return name?.trimmingCharacters(in: .whitespacesAndNewlines)
    }.filter(names.contains)
}
