import Amodb
import Testing

@testable import FixtureOrigin
@testable import PosterCache
@testable import PosterImages
@testable import PosterKit

@Suite struct PosterStoreRefreshTests {
    private let bench = StoreBench()
    private let path = Fixtures.posters[1]
    private let month = Duration.seconds(31 * 86_400)

    @Test func `an expired poster that is unchanged begins its 30 days anew, without a body`()
        throws
    {
        let store = try bench.store()
        let request = PosterRequest(path, .poster(.w342))
        let first = store.ask(request)
        bench.advance(by: month)
        let second = store.ask(request)
        #expect(second.state == .fresh(.revalidated, secondsLeft: 30 * 86_400))
        #expect(second.picture?.entityTag == first.picture?.entityTag)
        #expect(second.ageSeconds == 0)
        #expect(bench.origin.log.last?.header("If-None-Match") != nil)
        #expect(try bench.store().ask(request).state.source == .disk)
        #expect(bench.requests(path, .w342) == 2)
    }

    @Test func `a thumbnail of an unchanged poster is renewed, not made again`() throws {
        let store = try bench.store()
        let request = PosterRequest(path, .thumbnail(try .init(width: 120, height: 180)))
        let first = store.ask(request)
        bench.advance(by: month)
        let second = store.ask(request)
        #expect(second.state == .fresh(.revalidated, secondsLeft: 30 * 86_400))
        #expect(second.picture?.entityTag == first.picture?.entityTag)
        #expect(bench.requests(path, .w185) == 2)
    }

    @Test func `a thumbnail of a poster that changed is made again`() throws {
        let store = try bench.store()
        let request = PosterRequest(path, .thumbnail(try .init(width: 120, height: 180)))
        let first = store.ask(request)
        bench.origin.put("/t/p/w185\(path)", try Fixtures.bytes(Fixtures.posters[2], .w185))
        bench.advance(by: month)
        let second = store.ask(request)
        #expect(second.state.source == .refetched)
        #expect(second.picture?.entityTag != first.picture?.entityTag)
    }

    @Test(
        "an expired poster is served when upstream fails, and stays untouched",
        arguments: [
            .status(500), .status(429), .refused, .html, .cut(after: 5000), .short(after: 5000),
        ] as [Fault])
    func staleIfError(fault: Fault) throws {
        let request = PosterRequest(path, .poster(.w342))
        let store = try bench.store()
        let first = store.ask(request)
        bench.advance(by: month)
        bench.origin.misbehave(at: "/t/p/*", fault)
        let second = store.ask(request)
        guard case .staleIfError = second.state else {
            Issue.record("expected the old one, got \(second.state)")
            return
        }
        #expect(second.picture?.bytes == first.picture?.bytes)
        bench.origin.behave(at: "/t/p/*")
        // A new process obeys the pause that the old one was asked for.
        bench.advance(by: .seconds(6))
        let restarted = try bench.store()
        let third = restarted.ask(request)
        #expect(third.state.source == .revalidated)
        #expect(third.picture?.bytes == first.picture?.bytes)
    }

    @Test func `an expired poster is served at the deadline, and renewed behind it`() throws {
        let request = PosterRequest(path, .poster(.w342))
        let store = try bench.store()
        let first = store.ask(request)
        bench.advance(by: month)
        let url = "/t/p/w342\(path)"
        bench.origin.hold(at: url)
        let late = store.ask(request, by: .now)
        guard case .staleIfError(let error) = late.state else {
            Issue.record("expected the old one, got \(late.state)")
            return
        }
        #expect(error.reason == .deadline)
        #expect(late.picture?.bytes == first.picture?.bytes)
        let patient = PendingAnswer(store, request)
        bench.origin.release(at: url)
        #expect(patient.wait().state.source == .revalidated)
    }

    @Test func `an entry that is pruned while upstream says "unchanged" is written anew`() throws {
        let request = PosterRequest(path, .poster(.w342))
        let store = try bench.store()
        let first = store.ask(request)
        bench.advance(by: month)
        let url = "/t/p/w342\(path)"
        bench.origin.hold(at: url)
        let pending = PendingAnswer(store, request)
        #expect(bench.origin.waitUntilHeld(url))
        try bench.remove(.poster(path, .w342))
        bench.origin.release(at: url)
        #expect(pending.wait().state.source == .revalidated)
        #expect(bench.entries == [.poster(path, .w342)])
        #expect(try bench.store().ask(request).picture?.bytes == first.picture?.bytes)
    }

    @Test(
        "an unchanged poster may be told by a tag of either kind", arguments: ["\"a\"", "W/\"a\""])
    func tags(tag: String) throws {
        let bytes = try Fixtures.bytes(path, .w342)
        bench.origin.put("/t/p/w342\(path)", bytes, headers: [("ETag", tag)])
        let store = try bench.store()
        _ = store.ask(PosterRequest(path, .poster(.w342)))
        bench.advance(by: month)
        #expect(store.ask(PosterRequest(path, .poster(.w342))).state.source == .revalidated)
        #expect(bench.origin.log.last?.header("If-None-Match") == tag)
    }

    @Test("an expired poster that upstream no longer has is not served", arguments: [404, 410])
    func missing(status: Int) throws {
        let store = try bench.store()
        _ = store.ask(PosterRequest(path, .poster(.w342)))
        bench.advance(by: month)
        bench.origin.misbehave(at: "/t/p/*", .status(status))
        let answer = store.ask(PosterRequest(path, .poster(.w342)))
        #expect(answer.state == .absent(.missing(status: status)))
        // What is gone for good goes at once, what is not found at the next prune.
        #expect(bench.entries.count == (status == 410 ? 0 : 1))
    }

    @Test("another size stands in when the wanted one fails", arguments: [PosterSize.w500, .w185])
    func derived(other: PosterSize) throws {
        let store = try bench.store()
        _ = store.ask(PosterRequest(path, .poster(other)))
        bench.origin.misbehave(at: "/t/p/w342/*", .status(500))
        let answer = store.ask(PosterRequest(path, .poster(.w342)))
        guard case .derived = answer.state else {
            Issue.record("expected a stand-in, got \(answer.state)")
            return
        }
        // Never enlarged: of the smaller one all that there is.
        #expect(try bench.size(of: answer.picture).first == min(342, other.width))
        #expect(!answer.isStored)
        #expect(bench.entries == [.poster(path, other)])
    }

    @Test(
        "an expired poster makes every new thumbnail that it would make fresh, while upstream fails",
        arguments: [PosterSize.w185, .w342, .w500],
        [.status(500), .refused, .html, .cut(after: 5000)] as [Fault])
    func newThumbnails(cached: PosterSize, fault: Fault) throws {
        let variants =
            try [(60, 90), (100, 150), (185, 278), (300, 450), (nil, 400), (480, 720)].flatMap {
                box in
                try [nil, .w185, .w342, .w500].map { (source: PosterSize?) in
                    try ThumbnailVariant(width: box.0, height: box.1, source: source)
                }
            }
        let healthy = try bench.store()
        var expected: [ThumbnailVariant: [UInt8]] = [:]
        for variant in variants where variant.sources.contains(cached) {
            _ = healthy.ask(PosterRequest(path, .poster(cached)))
            expected[variant] = healthy.ask(PosterRequest(path, .thumbnail(variant))).picture?.bytes
            for entry in bench.entries { try bench.remove(entry) }
            bench.advance(by: .seconds(2))
        }
        let store = try bench.store()
        _ = store.ask(PosterRequest(path, .poster(cached)))
        bench.advance(by: month)
        bench.origin.misbehave(at: "/t/p/*", fault)
        for variant in variants {
            let request = PosterRequest(path, .thumbnail(variant))
            let answer = store.ask(request)
            switch answer.state {
            case .staleIfError: #expect(answer.picture?.bytes == expected[variant], "\(variant)")
            case .derived: #expect(!variant.sources.contains(cached), "\(variant)")
            default: Issue.record("\(variant): expected a picture, got \(answer.state)")
            }
            // An outage does not have the same thumbnail made again and again.
            let again = store.ask(request)
            #expect(again.picture?.bytes == answer.picture?.bytes)
            #expect((store.lookUp(request.key!) != nil) == variant.sources.contains(cached))
        }
    }

    @Test func `a spoilt entry is a miss that heals`() throws {
        let request = PosterRequest(path, .poster(.w342))
        let first = try bench.store().ask(request)
        try bench.spoil(.poster(path, .w342))
        let second = try bench.store().ask(request)
        #expect(second.state.source == .fetched)
        #expect(second.picture?.bytes == first.picture?.bytes)
        try bench.spoil(.poster(path, .w342))
        bench.origin.goDown()
        let third = try bench.store().ask(request)
        guard case .absent(.failed) = third.state else {
            Issue.record("expected a placeholder, got \(third.state)")
            return
        }
    }
}
