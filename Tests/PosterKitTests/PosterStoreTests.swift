import Amodb
@testable import FixtureOrigin
@testable import PosterKit
import Testing

@Suite struct PosterStoreTests {
    private let bench = StoreBench()
    private let path = Fixtures.posters[0]

    @Test func `a cold poster is asked for once and served byte for byte ever after`() async throws
    {
        let store = try bench.store()
        let wish = Wish(path, .poster(.w342))
        let sent = try Fixtures.bytes(path, .w342)

        let cold = await store.answer(wish)
        #expect(cold.state.source == .fetched)
        #expect(cold.picture?.bytes == sent)
        #expect(cold.isStored)
        let warm = await store.answer(wish)
        #expect(warm.state == .fresh(.memory, secondsLeft: 30 * 86_400))
        #expect(warm.picture?.bytes == sent)

        let restarted = try bench.store()
        let again = await restarted.answer(wish)
        #expect(again.state.source == .disk)
        #expect(again.picture?.bytes == sent)
        #expect(again.picture?.entityTag == cold.picture?.entityTag)
        #expect(bench.requests(path, .w342) == 1)
    }

    @Test func `a thumbnail has its box's size, from the smallest poster that covers it`()
        async throws
    {
        let store = try bench.store()
        let answer = await store.answer(Wish(path, .thumbnail(try .init(width: 120, height: 180))))
        #expect(answer.state.source == .fetched)
        let picture = try #require(answer.picture)
        #expect(picture.format == .jpeg)
        #expect(try bench.size(of: picture) == [120, 180])
        #expect(bench.origin.totalRequests == 1)
        #expect(bench.requests(path, .w185) == 1)
        #expect(
            bench.cache.files().filter { $0.hasSuffix(".jpg") }.map { EntryKey($0)?.rendition }
                == ["w185", "120x180-cover-q82.jpeg"])
    }

    @Test func `a thumbnail is made from a larger poster that is cached, with no request`()
        async throws
    {
        let store = try bench.store()
        _ = await store.answer(Wish(path, .poster(.w500)))
        let answer = await store.answer(Wish(path, .thumbnail(try .init(width: 60, height: 90))))
        #expect(answer.state.source == .made)
        #expect(bench.origin.totalRequests == 1)
    }

    @Test func `a thumbnail that is bound to a size is made from that size`() async throws {
        let store = try bench.store()
        _ = await store.answer(Wish(path, .poster(.w500)))
        let variant = try ThumbnailVariant(width: 300, height: 450, source: .w185)
        let answer = await store.answer(Wish(path, .thumbnail(variant)))
        #expect(bench.requests(path, .w185) == 1)
        // 185×278 is not enlarged to 300×450: its 2:3 crop is all there is.
        #expect(try bench.size(of: try #require(answer.picture))[0] == 185)
    }

    @Test func `a thousand wishes for one cold key are one request and one answer`() async throws {
        let store = try bench.store()
        let url = "/t/p/w342\(path)"
        bench.origin.hold(at: url)
        let answers = await withTaskGroup(of: PosterKit.Answer.self) { group in
            for _ in 0..<1000 {
                group.addTask { await store.answer(Wish(self.path, .poster(.w342))) }
            }
            #expect(bench.origin.waitUntilHeld(url))
            bench.origin.release(at: url)
            return await group.reduce(into: [PosterKit.Answer]()) { $0.append($1) }
        }
        let sent = try Fixtures.bytes(path, .w342)
        #expect(answers.allSatisfy { $0.picture?.bytes == sent })
        #expect(bench.requests(path, .w342) == 1)
    }

    @Test func `a poster and its thumbnails wished for at once are one request`() async throws {
        let store = try bench.store()
        let url = "/t/p/w342\(path)"
        bench.origin.hold(at: url)
        let wishes =
            [Wish(path, .poster(.w342))]
            + (try [(240, 360), (200, 300), (300, 400)].map {
                Wish(path, .thumbnail(try .init(width: $0.0, height: $0.1)))
            })
        let answers = await withTaskGroup(of: PosterKit.Answer.self) { group in
            for wish in wishes { group.addTask { await store.answer(wish) } }
            #expect(bench.origin.waitUntilHeld(url))
            bench.origin.release(at: url)
            return await group.reduce(into: [PosterKit.Answer]()) { $0.append($1) }
        }
        #expect(answers.allSatisfy { $0.state.source != nil })
        #expect(bench.origin.totalRequests == 1)
    }

    @Test func `a passed deadline gives a placeholder, and the fetch goes on and fills the cache`()
        async throws
    {
        let store = try bench.store()
        let url = "/t/p/w342\(path)"
        bench.origin.hold(at: url)
        let late = await store.answer(Wish(path, .poster(.w342)), by: .now)
        guard case .absent(.unavailable(let error)) = late.state else {
            Issue.record("expected a placeholder, got \(late.state)")
            return
        }
        #expect(error.reason == .deadline)
        #expect(try bench.size(of: try #require(late.picture)) == [342, 513])

        let (patient, _) = await (
            store.answer(Wish(path, .poster(.w342))), bench.origin.release(at: url)
        )
        #expect(patient.picture?.bytes == (try Fixtures.bytes(path, .w342)))
        #expect(bench.requests(path, .w342) == 1)
    }

    @Test func `no poster is a placeholder of its own, and nothing is asked`() async throws {
        let store = try bench.store()
        let answer = await store.answer(Wish(nil, .poster(.w342), title: "Untitled"))
        #expect(answer.state == .absent(.noPoster))
        #expect(try bench.size(of: try #require(answer.picture)) == [342, 513])
        let bare = await store.answer(Wish(nil, .poster(.w342), drawsPlaceholder: false))
        #expect(bare.picture == nil)
        #expect(bench.origin.totalRequests == 0)
    }

    @Test(
        "what upstream does not have is missing, and it is not asked again", arguments: [404, 410])
    func missing(status: Int) async throws {
        let store = try bench.store()
        bench.origin.misbehave(at: "/t/p/*", .status(status))
        for _ in 1...3 {
            let answer = await store.answer(Wish(path, .poster(.w342)))
            #expect(answer.state == .absent(.missing(status: status)))
            #expect(answer.picture != nil)
        }
        #expect(bench.requests(path, .w342) == 1)
    }
}

@Suite struct PosterStoreRefreshTests {
    private let bench = StoreBench()
    private let path = Fixtures.posters[1]
    private let month = Duration.seconds(31 * 86_400)

    @Test func `an expired poster that is unchanged begins its 30 days anew, without a body`()
        async throws
    {
        let store = try bench.store()
        let first = await store.answer(Wish(path, .poster(.w342)))
        bench.advance(by: month)
        let second = await store.answer(Wish(path, .poster(.w342)))
        #expect(second.state == .fresh(.revalidated, secondsLeft: 30 * 86_400))
        #expect(second.picture?.entityTag == first.picture?.entityTag)
        #expect(second.ageSeconds == 0)
        #expect(bench.origin.log.last?.header("If-None-Match") != nil)
        let restarted = try bench.store()
        #expect(await restarted.answer(Wish(path, .poster(.w342))).state.source == .disk)
        #expect(bench.requests(path, .w342) == 2)
    }

    @Test func `a thumbnail of an unchanged poster is renewed, not made again`() async throws {
        let store = try bench.store()
        let wish = Wish(path, .thumbnail(try .init(width: 120, height: 180)))
        let first = await store.answer(wish)
        bench.advance(by: month)
        let second = await store.answer(wish)
        #expect(second.state == .fresh(.revalidated, secondsLeft: 30 * 86_400))
        #expect(second.picture?.entityTag == first.picture?.entityTag)
        #expect(bench.requests(path, .w185) == 2)
    }

    @Test func `a thumbnail of a poster that changed is made again`() async throws {
        let store = try bench.store()
        let wish = Wish(path, .thumbnail(try .init(width: 120, height: 180)))
        let first = await store.answer(wish)
        bench.origin.put("/t/p/w185\(path)", try Fixtures.bytes(Fixtures.posters[2], .w185))
        bench.advance(by: month)
        let second = await store.answer(wish)
        #expect(second.state.source == .refetched)
        #expect(second.picture?.entityTag != first.picture?.entityTag)
    }

    @Test(
        "an expired poster is served when upstream fails, and stays untouched",
        arguments: [
            .status(500), .status(429), .refused, .html, .cut(after: 5000), .short(after: 5000),
        ] as [Fault])
    func staleIfError(fault: Fault) async throws {
        let store = try bench.store()
        let wish = Wish(path, .poster(.w342))
        let first = await store.answer(wish)
        bench.advance(by: month)
        bench.origin.misbehave(at: "/t/p/*", fault)
        let second = await store.answer(wish)
        guard case .staleIfError = second.state else {
            Issue.record("expected the old one, got \(second.state)")
            return
        }
        #expect(second.picture?.bytes == first.picture?.bytes)
        let restarted = try bench.store()
        bench.origin.behave(at: "/t/p/*")
        #expect(await restarted.answer(wish).picture?.bytes == first.picture?.bytes)
    }

    @Test func `an expired poster that upstream no longer has is not served`() async throws {
        let store = try bench.store()
        _ = await store.answer(Wish(path, .poster(.w342)))
        bench.advance(by: month)
        bench.origin.misbehave(at: "/t/p/*", .status(404))
        let answer = await store.answer(Wish(path, .poster(.w342)))
        #expect(answer.state == .absent(.missing(status: 404)))
    }

    @Test func `another size stands in when the wanted one fails`() async throws {
        let store = try bench.store()
        _ = await store.answer(Wish(path, .poster(.w500)))
        bench.origin.misbehave(at: "/t/p/w342/*", .status(500))
        let answer = await store.answer(Wish(path, .poster(.w342)))
        guard case .derived = answer.state else {
            Issue.record("expected a stand-in, got \(answer.state)")
            return
        }
        #expect(try bench.size(of: try #require(answer.picture)) == [342, 513])
        #expect(!answer.isStored)
        #expect(!bench.cache.files().contains { $0.contains("w342") })
    }
}

extension PosterKit.Answer.State {
    /// Where a fresh picture came from; `nil` for any other state.
    var source: PosterKit.Answer.Source? {
        if case .fresh(let source, _) = self { source } else { nil }
    }
}
