import Amodb
import Testing

@testable import FixtureOrigin
@testable import PosterCache
@testable import PosterFetch
@testable import PosterKit

/// What a client of the store gets when upstream misbehaves, what is kept, and what is counted.
@Suite struct UpstreamFaultTests {
    private let bench = StoreBench()
    private let path = Fixtures.posters[0]
    private let month = Duration.seconds(31 * 86_400)

    /// A fault, the name that it is counted under, and how often one request asks in vain.
    struct Row: CustomTestStringConvertible, Sendable {
        let fault: Fault
        let reason: FetchError.Reason
        let requests: Int
        var testDescription: String { "\(fault) → \(reason), \(requests) requests" }

        init(_ fault: Fault, _ reason: FetchError.Reason, requests: Int = 1) {
            (self.fault, self.reason, self.requests) = (fault, reason, requests)
        }
    }

    static let rows = [
        Row(.refused, .reset, requests: 3), Row(.reset(after: 9000), .reset, requests: 3),
        Row(.reset(after: 9000, withLength: false), .reset, requests: 3),
        Row(.short(after: 9000), .shortBody, requests: 3),
        Row(.cut(after: 9000), .truncatedImage, requests: 3),
        Row(.brokenChunks(.inData, after: 9000), .shortBody, requests: 3),
        Row(.brokenChunks(.afterChunk, after: 9000), .shortBody, requests: 3),
        Row(.brokenChunks(.badSize, after: 9000), .framing, requests: 3),
        Row(.contentLength(["9000", "9001"]), .framing, requests: 3),
        Row(.lengthAndChunks, .framing, requests: 3),
        Row(.notHTTP(.garbage), .framing, requests: 3),
        Row(.notHTTP(.emptyReply), .emptyReply, requests: 3),
        Row(.headerBomb(.endless), .framing, requests: 3),
        Row(.informational(count: 100_000), .framing, requests: 3),
        Row(.status(500), .status5xx, requests: 3), Row(.status(503), .status5xx, requests: 3),
        Row(.hang(), .firstByteTimeout, requests: 3),
        Row(.hang(after: 9000), .stalled, requests: 3),
        Row(.drip(bytes: 2, every: .milliseconds(20)), .stalled, requests: 3),
        Row(.oversized(length: 16 << 20), .tooLarge), Row(.endless(), .tooLarge),
        Row(.endless(chunked: false), .tooLarge), Row(.html, .notAnImage),
        Row(.empty, .notAnImage), Row(.gzip, .encoded), Row(.gzipBomb(bytes: 4 << 20), .encoded),
        Row(.status(204), .unexpectedStatus), Row(.partial, .unexpectedStatus),
        Row(.status(304), .unexpectedStatus), Row(.status(999), .unexpectedStatus),
        Row(.redirect(to: "http://127.0.0.1:9/x.jpg"), .redirectRefused),
        Row(.redirect(to: "file:///etc/passwd"), .redirectRefused),
        Row(.status(400), .status4xx), Row(.status(403), .denied),
    ]

    /// With a limit that a test need not wait for, where the row is about one.
    private func store(for row: Row) throws -> PosterStore {
        var limits = TransferLimits()
        if row.reason == .firstByteTimeout { limits.firstByte = .milliseconds(100) }
        if row.reason == .stalled { limits.stall = .milliseconds(100) }
        return try bench.store(limits: limits)
    }

    @Test("a cold poster that fails is a placeholder, and nothing is kept", arguments: rows)
    func cold(row: Row) throws {
        let store = try store(for: row)
        bench.origin.misbehave(at: "/t/p/*", row.fault)
        for _ in 0..<2 {
            let answer = store.ask(PosterRequest(path, .poster(.w342)))
            guard case .absent(.failed(let error)) = answer.state else {
                Issue.record("expected a placeholder, got \(answer.state)")
                return
            }
            #expect(error.reason == row.reason)
            #expect(try bench.size(of: answer.picture) == [342, 513])
        }
        // The second request asks nobody: the failure is remembered.
        #expect(bench.requests(path, .w342) == row.requests)
        #expect(store.metrics.fetch.errors[row.reason] == row.requests)
        #expect(bench.entries.isEmpty)
        bench.origin.behave(at: "/t/p/*")
        bench.advance(by: .seconds(600))
        #expect(try bench.store().ask(PosterRequest(path, .poster(.w342))).state.source == .fetched)
        #expect(store.failures.recall(.poster(path, .w342), now: store.clock.instant()) == nil)
    }

    @Test("an expired poster stays as it is, and is served, whatever comes", arguments: rows)
    func expired(row: Row) throws {
        // To a conditional request a 304 is no fault.
        if case .status(304, _, _) = row.fault { return }
        let first = try bench.store().ask(PosterRequest(path, .poster(.w342)))
        bench.advance(by: month)
        bench.origin.misbehave(at: "/t/p/*", row.fault)
        let answer = try store(for: row).ask(PosterRequest(path, .poster(.w342)))
        guard case .staleIfError(let error) = answer.state else {
            Issue.record("expected the old one, got \(answer.state)")
            return
        }
        #expect(error.reason == row.reason)
        #expect(answer.picture?.bytes == first.picture?.bytes)
        #expect(bench.entries == [.poster(path, .w342)])
    }

    @Test(
        "the deadline is kept, whatever upstream does",
        arguments: [.hang(), .hang(after: 9000), .drip(bytes: 2, every: .milliseconds(20))]
            as [Fault])
    func late(fault: Fault) throws {
        // Its limits are five seconds.
        let store = try bench.store()
        bench.origin.misbehave(at: "/t/p/*", fault)
        let answer = store.ask(PosterRequest(path, .poster(.w342)), by: .now + .milliseconds(50))
        guard case .absent(.failed(let error)) = answer.state else {
            Issue.record("expected a placeholder, got \(answer.state)")
            return
        }
        #expect(error.reason == .deadline)
        #expect(bench.entries.isEmpty)
    }

    @Test func `a host that is down is counted, and its posters come when it is back`() throws {
        let store = try bench.store()
        bench.origin.goDown()
        guard
            case .absent(.failed(let error)) = store.ask(PosterRequest(path, .poster(.w342))).state
        else { return #expect(Bool(false)) }
        #expect(error.reason == .connect)
        #expect(store.metrics.fetch.errors[.connect] == 3)
        try bench.origin.comeBack()
        bench.advance(by: .seconds(60))
        #expect(store.ask(PosterRequest(path, .poster(.w342))).state.source == .fetched)
    }

    @Test func `a host that fails every other time is asked little more than a healthy one`() throws
    {
        let store = try bench.store()
        let requests = Fixtures.posters.flatMap { path in
            PosterSize.allCases.map { PosterRequest(path, .poster($0)) }
        }
        for request in requests { _ = store.ask(request) }
        bench.advance(by: month)
        let before = bench.origin.totalRequests
        bench.origin.misbehave(at: "/t/p/*", .flapping(.status(500), percent: 50, seed: 7))
        for request in requests {
            switch store.ask(request).state {
            case .fresh, .staleIfError: break
            case .derived, .absent: Issue.record("\(request) is not what it was")
            }
        }
        #expect(bench.origin.totalRequests - before <= requests.count * 3 / 2)
    }

    @Test func `a poster that moved within its host is kept under the path that was asked`() throws
    {
        let store = try bench.store()
        bench.origin.misbehave(at: "/t/p/w342\(path)", .redirect(301, to: "/moved.jpg"))
        bench.origin.put("/moved.jpg", try Fixtures.bytes(path, .w342))
        #expect(store.ask(PosterRequest(path, .poster(.w342))).state.source == .fetched)
        #expect(bench.entries == [.poster(path, .w342)])
    }

    @Test func `the bytes say what a picture is, not its name or label`() throws {
        let store = try bench.store()
        let path = try PosterPath("/named.png")
        let bytes = try Fixtures.bytes(Fixtures.posters[0], .w342)
        bench.origin.put("/t/p/w342\(path)", bytes, headers: [("Content-Type", "image/png")])
        let answer = store.ask(PosterRequest(path, .poster(.w342)))
        #expect(answer.picture?.format == .jpeg)
        #expect(answer.picture?.bytes == bytes)
    }

    @Test(
        "what is no JPEG or PNG is none, whatever it is called",
        arguments: [
            "RIFF\u{24}\u{0}\u{0}\u{0}WEBPVP8 ", "GIF89a\u{1}\u{0}", "<svg xmlns='x'/>", "{}", "BM",
        ])
    func foreign(text: String) throws {
        let store = try bench.store()
        bench.origin.put(
            "/t/p/w342\(path)", Array(text.utf8), headers: [("Content-Type", "image/jpeg")])
        guard
            case .absent(.failed(let error)) = store.ask(PosterRequest(path, .poster(.w342))).state
        else { return #expect(Bool(false)) }
        #expect(error.reason == .notAnImage)
        #expect(store.metrics.fetch.errors[.notAnImage] == 1)
        #expect(bench.entries.isEmpty)
    }
}
