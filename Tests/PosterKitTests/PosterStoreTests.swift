import Amodb
import Glibc
import Testing

@testable import FixtureOrigin
@testable import PosterBase
@testable import PosterCache
@testable import PosterImages
@testable import PosterKit

@Suite struct PosterStoreTests {
    private let bench = StoreBench()
    private let path = Fixtures.posters[0]
    private var url: String { "/t/p/w342\(path)" }

    @Test func `a cold poster is asked for once and served byte for byte ever after`() throws {
        let store = try bench.store()
        let request = PosterRequest(path, .poster(.w342))
        let sent = try Fixtures.bytes(path, .w342)

        let cold = store.ask(request)
        #expect(cold.state == .fresh(.fetched, secondsLeft: 30 * 86_400))
        #expect(cold.picture?.bytes == sent)
        #expect(cold.isStored)
        let warm = store.ask(request)
        #expect(warm.state == .fresh(.memory, secondsLeft: 30 * 86_400))
        #expect(warm.picture?.bytes == sent)

        let again = try bench.store().ask(request)
        #expect(again.state.source == .disk)
        #expect(again.picture?.bytes == sent)
        #expect(again.picture?.entityTag == cold.picture?.entityTag)
        #expect(again.picture?.lastModified == cold.picture?.lastModified)
        #expect(bench.requests(path, .w342) == 1)
    }

    @Test func `who has an answer is let go of, however far its deadline is`() throws {
        final class Client: Sendable {}
        let store = try bench.store()
        let answered = Monitor<Bool?>(nil)
        weak var waiting: Client?
        do {
            let client = Client()
            waiting = client
            store.answer(PosterRequest(path, .poster(.w342)), by: .now + .seconds(3600)) { _ in
                withExtendedLifetime(client) { answered.withLock { $0 = true } }
                answered.notifyAll()
            }
        }
        _ = answered.wait { $0 }
        // The thread that answered may not be back yet.
        let limit = ContinuousClock.now + .seconds(20)
        while waiting != nil, .now < limit { sched_yield() }
        #expect(waiting == nil)
    }

    @Test func `every poster of the fixtures comes out whole at every size`() throws {
        let store = try bench.store()
        for path in Fixtures.posters {
            for size in PosterSize.allCases {
                let answer = store.ask(PosterRequest(path, .poster(size)))
                #expect(answer.picture?.bytes == (try Fixtures.bytes(path, size)))
            }
        }
        #expect(bench.origin.totalRequests == Fixtures.posters.count * 3)
    }

    @Test func `a thumbnail has its box's size, from the smallest poster that covers it`() throws {
        let store = try bench.store()
        let variant = try ThumbnailVariant(width: 120, height: 180)
        let answer = store.ask(PosterRequest(path, .thumbnail(variant)))
        #expect(answer.state.source == .fetched)
        #expect(answer.picture?.format == .jpeg)
        #expect(try bench.size(of: answer.picture) == [120, 180])
        #expect(bench.origin.totalRequests == 1)
        #expect(bench.requests(path, .w185) == 1)
        #expect(Set(bench.entries) == [.poster(path, .w185), .thumbnail(path, variant)])
    }

    @Test func `a thumbnail is made from a larger poster that is cached, with no request`() throws {
        let store = try bench.store()
        _ = store.ask(PosterRequest(path, .poster(.w500)))
        let answer = store.ask(PosterRequest(path, .thumbnail(try .init(width: 60, height: 90))))
        #expect(answer.state.source == .made)
        #expect(try bench.size(of: answer.picture) == [60, 90])
        #expect(bench.origin.totalRequests == 1)
    }

    @Test func `a thumbnail that is bound to a size is made from that size`() throws {
        let store = try bench.store()
        _ = store.ask(PosterRequest(path, .poster(.w500)))
        let variant = try ThumbnailVariant(width: 300, height: 450, source: .w185)
        let answer = store.ask(PosterRequest(path, .thumbnail(variant)))
        #expect(bench.requests(path, .w185) == 1)
        // 185×278 is not enlarged to 300×450: its 2:3 crop is all there is.
        #expect(try bench.size(of: answer.picture).first == 185)
    }

    @Test func `a thousand requests for one cold key are one request and one answer`() throws {
        let store = try bench.store()
        bench.origin.hold(at: url)
        let pending = (0..<1000).map { _ in
            PendingAnswer(store, PosterRequest(path, .poster(.w342)))
        }
        #expect(bench.origin.waitUntilHeld(url))
        bench.origin.release(at: url)
        let answers = pending.map { $0.wait() }
        let sent = try Fixtures.bytes(path, .w342)
        #expect(answers.allSatisfy { $0.picture?.bytes == sent })
        #expect(answers.filter(\.isCollapsed).count == 999)
        #expect(store.metrics.fetch.notes[.coalesced] == 999)
        #expect(bench.requests(path, .w342) == 1)
    }

    @Test func `a poster and its thumbnails asked for at once are one request`() throws {
        let store = try bench.store()
        bench.origin.hold(at: url)
        let boxes = [(240, 360), (200, 300), (300, 400)]
        let pending =
            try [PendingAnswer(store, PosterRequest(path, .poster(.w342)))]
            + boxes.map { width, height in
                let variant = try ThumbnailVariant(width: width, height: height)
                return PendingAnswer(store, PosterRequest(path, .thumbnail(variant)))
            }
        #expect(bench.origin.waitUntilHeld(url))
        bench.origin.release(at: url)
        let answers = pending.map { $0.wait() }
        #expect(answers.allSatisfy { $0.state.source == .fetched })
        #expect(
            try answers.map { try bench.size(of: $0.picture) }
                == [[342, 513], [240, 360], [200, 300], [300, 400]])
        #expect(bench.origin.totalRequests == 1)
    }

    @Test func `a passed deadline gives a placeholder, and the fetch fills the cache`() throws {
        let store = try bench.store()
        bench.origin.hold(at: url)
        let late = store.ask(PosterRequest(path, .poster(.w342)), by: .now)
        guard case .absent(.failed(let error)) = late.state else {
            Issue.record("expected a placeholder, got \(late.state)")
            return
        }
        #expect(error.reason == .deadline)
        #expect(try bench.size(of: late.picture) == [342, 513])

        let patient = PendingAnswer(store, PosterRequest(path, .poster(.w342)))
        bench.origin.release(at: url)
        #expect(patient.wait().picture?.bytes == (try Fixtures.bytes(path, .w342)))
        #expect(bench.requests(path, .w342) == 1)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a poster for which nobody waits any more fills the cache all the same`() throws {
        let store = try bench.store()
        bench.origin.hold(at: url)
        for _ in 0..<3 { _ = store.ask(PosterRequest(path, .poster(.w342)), by: .now) }
        bench.origin.release(at: url)
        while store.metrics.fetch.notes[.lateFill] == 0 { sched_yield() }
        #expect(store.ask(PosterRequest(path, .poster(.w342))).state.source == .memory)
        #expect(bench.requests(path, .w342) == 1)
    }

    @Test func `no poster is a placeholder of its own, and nothing is asked`() throws {
        let store = try bench.store()
        let answer = store.ask(PosterRequest(nil, .poster(.w342), title: "Untitled"))
        #expect(answer.state == .absent(.noPoster))
        #expect(try bench.size(of: answer.picture) == [342, 513])
        let bare = store.ask(PosterRequest(nil, .poster(.w342), drawsPlaceholder: false))
        #expect(bare.picture == nil)
        #expect(bench.origin.totalRequests == 0)
    }

    @Test(
        "what upstream does not have is missing, and it is not asked again", arguments: [404, 410])
    func missing(status: Int) throws {
        let store = try bench.store()
        bench.origin.misbehave(at: "/t/p/*", .status(status))
        for _ in 1...3 {
            let answer = store.ask(PosterRequest(path, .poster(.w342)))
            #expect(answer.state == .absent(.missing(status: status)))
            #expect(answer.picture != nil)
        }
        #expect(bench.requests(path, .w342) == 1)
        bench.origin.behave(at: "/t/p/*")
        bench.advance(by: .seconds(2 * 3600))
        #expect(store.ask(PosterRequest(path, .poster(.w342))).state.source == .fetched)
    }

    @Test(
        "nothing that is no whole picture is kept, and a placeholder stands in",
        arguments: [
            .html, .empty, .cut(after: 9000), .short(after: 9000), .gzip, .partial,
            .status(500), .status(204), .status(403), .refused, .redirect(to: "http://[::1]:1/x"),
        ] as [Fault])
    func nothingWrongIsKept(fault: Fault) throws {
        let store = try bench.store()
        bench.origin.misbehave(at: "/t/p/*", fault)
        let answer = store.ask(PosterRequest(path, .thumbnail(try .init(width: 120, height: 180))))
        guard case .absent(.failed) = answer.state else {
            Issue.record("expected a placeholder, got \(answer.state)")
            return
        }
        #expect(try bench.size(of: answer.picture) == [120, 180])
        #expect(bench.entries.isEmpty)
    }

    @Test func `a store without memory serves from disk alone`() throws {
        let store = try bench.store { $0.memoryBytes = 0 }
        let request = PosterRequest(path, .thumbnail(try .init(width: 120, height: 180)))
        let cold = store.ask(request)
        #expect(store.ask(request).state.source == .disk)
        #expect(store.ask(request).picture?.bytes == cold.picture?.bytes)
        #expect(bench.origin.totalRequests == 1)
    }

    /// What another process does to a file that this one has in memory.
    enum Meddling: CaseIterable, Sendable {
        case prune, refresh, replacement, movedCache
    }

    @Test(
        "what another process does is noticed a second after the last look",
        arguments: Meddling.allCases)
    func noticed(meddling: Meddling) throws {
        let store = try bench.store()
        let request = PosterRequest(path, .poster(.w342))
        _ = store.ask(request)
        bench.advance(by: .seconds(1))
        #expect(store.ask(request).state == .fresh(.memory, secondsLeft: 30 * 86_400 - 1))
        let newBytes = try Fixtures.bytes(Fixtures.posters[1], .w342)
        switch meddling {
        case .prune: try bench.prune(olderThan: .zero)
        case .refresh:
            // Of a month old, upstream says that it is unchanged.
            bench.age(.poster(path, .w342), days: 31)
            bench.advance(by: .seconds(1))
            let refreshed = try bench.store().ask(request)
            #expect(refreshed.state == .fresh(.revalidated, secondsLeft: 30 * 86_400))
        case .replacement:
            try bench.cache().write(
                .poster(path, .w342),
                CacheEntry(
                    picture: Picture(bytes: newBytes, format: .jpeg, made: .now()),
                    validated: .now()))
        case .movedCache: try bench.replaceCache()
        }
        bench.advance(by: .seconds(1))
        let later = store.ask(request)
        switch meddling {
        case .prune, .movedCache:
            #expect(later.state.source == .fetched)
            #expect(bench.requests(path, .w342) == 2)
        case .refresh:
            #expect(later.state == .fresh(.disk, secondsLeft: 30 * 86_400 - 1))
            #expect(bench.requests(path, .w342) == 2)
        case .replacement:
            #expect(later.state.source == .disk)
            #expect(later.picture?.bytes == newBytes)
            #expect(bench.requests(path, .w342) == 1)
        }
    }

    @Test func `a step of the wall clock neither ends a pause nor makes it longer`() throws {
        let store = try bench.store()
        bench.origin.misbehave(at: url, .status(429, headers: [("Retry-After", "60")]))
        guard case .absent = store.ask(PosterRequest(path, .poster(.w342))).state else {
            Issue.record("it was fetched")
            return
        }
        let other = PosterRequest(Fixtures.posters[1], .poster(.w342))
        for years in [1, -2, 1] as [Int64] {
            bench.step(by: .seconds(years * 365 * 86_400))
            guard case .absent(.failed(let error)) = store.ask(other).state else {
                Issue.record("the pause ended")
                return
            }
            #expect(error.reason == .backingOff)
            #expect(store.load.backOffSeconds == 60)
        }
        #expect(bench.origin.totalRequests == 1)
        bench.advance(by: .seconds(61))
        let later = store.ask(PosterRequest(Fixtures.posters[2], .poster(.w342)))
        #expect(later.state.source == .fetched, "\(later.state)")
    }

    @Test("a file that is gone or another is noticed a second later", arguments: [true, false])
    func noticed(isGone: Bool) throws {
        let store = try bench.store()
        let request = PosterRequest(path, .poster(.w342))
        let first = store.ask(request)
        #expect(store.ask(request).state.source == .memory)
        if isGone {
            try bench.remove(.poster(path, .w342))
        } else {
            try bench.spoil(.poster(path, .w342))
        }
        // Within the second the disk is not asked.
        #expect(store.ask(request).state.source == .memory)
        bench.advance(by: .seconds(1))
        let later = store.ask(request)
        #expect(later.state.source == .fetched)
        #expect(later.picture?.bytes == first.picture?.bytes)
        #expect(bench.requests(path, .w342) == 2)
    }
}
