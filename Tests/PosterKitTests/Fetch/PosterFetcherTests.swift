import Testing

@testable import FixtureOrigin
@testable import PosterBase
@testable import PosterFetch
@testable import PosterKit

@Suite struct PosterFetcherTests {
    /// One fetcher, its host and what it counts.
    private struct Client {
        let metrics = FetchMetrics()
        let governor = HostGovernor(perSecond: 0)
        let fetcher: PosterFetcher

        init() {
            var retries = RetryPolicy()
            retries.jitter = { 0 }
            fetcher = PosterFetcher(
                maxBytes: ImageLimits().bytes, timeout: .seconds(15), metrics: metrics,
                retries: retries)
        }

        func fetch(
            _ upstream: Upstream, _ validators: Validators? = nil,
            prove: ([UInt8]) throws(FetchError) -> Int = { $0.count }
        ) throws(FetchError) -> PosterFetcher.Result<Int> {
            var worker = Upstream.worker()
            return try fetcher.fetch(
                upstream.url, validators, .live, governor, &worker, prove: prove)
        }
    }

    private let client = Client()

    @Test func `a poster is had, proven and counted, with what tells versions apart`() throws {
        let upstream = try Upstream()
        guard case .fetched(let count, let validators) = try client.fetch(upstream) else {
            return #expect(Bool(false), "no bytes")
        }
        #expect(count == Upstream.poster.count)
        #expect(validators.entityTag == "\"v1\"")
        #expect(validators.lastModified != nil)
        #expect(client.metrics.successes[.fetched] == 1)
    }

    @Test func `an unchanged poster costs no body`() throws {
        let upstream = try Upstream()
        let result = try client.fetch(upstream, Validators(entityTag: "\"v1\"")) { _ in
            Issue.record("a 304 has no body")
            return 0
        }
        guard case .notModified = result else { return #expect(Bool(false), "\(result)") }
        #expect(client.metrics.successes[.revalidated] == 1)
    }

    @Test func `a conditional request may be answered with the whole`() throws {
        let upstream = try Upstream(.ignoresConditional)
        let result = try client.fetch(upstream, Validators(entityTag: "\"v1\""))
        guard case .fetched = result else { return #expect(Bool(false), "\(result)") }
    }

    @Test func `an answer of unchanged that names another version is not believed`() throws {
        let upstream = try Upstream(.status(304, headers: [("ETag", "\"v2\"")]), times: 1)
        let result = try client.fetch(upstream, Validators(entityTag: "\"v1\""))
        guard case .fetched(40_002, _) = result else { return #expect(Bool(false), "\(result)") }
        let asked = upstream.origin.log.map { $0.header("If-None-Match") }
        #expect(asked == ["\"v1\"", nil])
        #expect(client.metrics.successes[.revalidated] == 0)
    }

    @Test func `a host that says unchanged to a plain request has no poster`() throws {
        let upstream = try Upstream(.status(304, headers: [("ETag", "\"v2\"")]))
        let error = #expect(throws: FetchError.self) {
            try client.fetch(upstream, Validators(entityTag: "\"v1\""))
        }
        #expect(error?.reason == .unexpectedStatus)
        #expect(upstream.origin.totalRequests == 2)
    }

    @Test func `a 304 confirms the version that it names, or any when it names none`() {
        let tags = ["\"a\"", "\"b\"", "W/\"a\"", "W/\"b\""]
        for own in [nil] + tags {
            let validators = Validators(entityTag: own, lastModified: "x")
            #expect(validators.areConfirmed(by: Self.unchanged([])))
            for other in tags {
                // The value of RFC 9110's weak comparison; a strong tag beside none is another's.
                let isSame = own.map { $0.suffix(3) == other.suffix(3) } ?? other.hasPrefix("W/")
                #expect(validators.areConfirmed(by: Self.unchanged([other])) == isSame)
                #expect(!validators.areConfirmed(by: Self.unchanged([other, "\"c\""])))
            }
        }
    }

    private static func unchanged(_ tags: [String]) -> FetchResponse {
        FetchResponse(status: 304, headers: tags.map { ("etag", $0) }, body: [])
    }

    @Test("a poster that is not there is no failure", arguments: [404, 410])
    func missing(status: Int) throws {
        let upstream = try Upstream(.status(status))
        guard case .missing(status) = try client.fetch(upstream) else {
            return #expect(Bool(false))
        }
        #expect(upstream.origin.totalRequests == 1)
        #expect(client.metrics.successes[.missing] == 1)
    }

    struct Refusal: CustomTestStringConvertible, Sendable {
        let status: Int
        let reason: FetchError.Reason
        let requests: Int
        var testDescription: String { "\(status) → \(reason), \(requests) requests" }
    }

    @Test(
        "no other status carries a poster",
        arguments: [
            Refusal(status: 203, reason: .unexpectedStatus, requests: 1),
            Refusal(status: 204, reason: .unexpectedStatus, requests: 1),
            Refusal(status: 205, reason: .unexpectedStatus, requests: 1),
            Refusal(status: 206, reason: .unexpectedStatus, requests: 1),
            Refusal(status: 300, reason: .unexpectedStatus, requests: 1),
            Refusal(status: 304, reason: .unexpectedStatus, requests: 1),
            Refusal(status: 400, reason: .status4xx, requests: 1),
            Refusal(status: 401, reason: .denied, requests: 1),
            Refusal(status: 403, reason: .denied, requests: 1),
            Refusal(status: 451, reason: .status4xx, requests: 1),
            Refusal(status: 500, reason: .status5xx, requests: 3),
            Refusal(status: 502, reason: .status5xx, requests: 3),
            Refusal(status: 503, reason: .status5xx, requests: 3),
            Refusal(status: 504, reason: .status5xx, requests: 3),
            Refusal(status: 999, reason: .unexpectedStatus, requests: 1),
        ])
    func refused(row: Refusal) throws {
        let upstream = try Upstream(.status(row.status))
        let error = #expect(throws: FetchError.self) { try client.fetch(upstream) }
        #expect(error?.reason == row.reason)
        #expect(error?.detail == "status \(row.status)")
        #expect(upstream.origin.totalRequests == row.requests)
        #expect(client.metrics.errors[row.reason] == row.requests)
        #expect(client.governor.pauseLeft == nil)
    }

    @Test(
        "what may pass is tried twice more",
        arguments: [.refused, .reset(after: 100), .short(after: 100), .status(500)] as [Fault])
    func retried(fault: Fault) throws {
        let upstream = try Upstream(fault, times: 2)
        guard case .fetched(40_002, _) = try client.fetch(upstream) else {
            return #expect(Bool(false))
        }
        #expect(upstream.origin.totalRequests == 3)
    }

    @Test func `a truncated picture is asked for again and a bad one is not`() throws {
        for (reason, requests) in [(FetchError.Reason.truncatedImage, 3), (.notAnImage, 1)] {
            let upstream = try Upstream()
            let error = #expect(throws: FetchError.self) {
                try client.fetch(upstream) { _ throws(FetchError) in
                    throw FetchError(reason, "")
                }
            }
            #expect(error?.reason == reason)
            #expect(upstream.origin.totalRequests == requests)
            #expect(client.metrics.errors[reason] == requests)
        }
    }

    @Test(
        "a pause that the host asks for is kept by all who ask it",
        arguments: [
            (429, "7", 7), (429, nil, 5), (429, "soon", 5), (429, "86400", 3600), (503, "7", 7),
            (503, "soon", 5),
        ] as [(Int, String?, Int)])
    func backsOff(status: Int, retryAfter: String?, seconds: Int) throws {
        let headers = retryAfter.map { [("Retry-After", $0)] } ?? []
        let upstream = try Upstream(.status(status, headers: headers))
        let error = #expect(throws: FetchError.self) { try client.fetch(upstream) }
        #expect(error?.retryAfterSeconds == seconds)
        let isBad = retryAfter.flatMap { Int($0) } == nil
        #expect(client.metrics.notes[.retryAfterBad] == (isBad ? 1 : 0))
        #expect(client.governor.pauseLeft.map { $0.wholeSeconds } == seconds)
        let second = #expect(throws: FetchError.self) { try client.fetch(upstream) }
        #expect(second?.reason == .backingOff)
        #expect(upstream.origin.totalRequests == 1)
    }

    @Test func `a store that closes is not kept by a retry`() throws {
        let upstream = try Upstream(.status(500))
        var retries = RetryPolicy()
        (retries.firstBound, retries.jitter) = (.seconds(3600), { 1 })
        retries.stop.raise()
        let fetcher = PosterFetcher(
            maxBytes: ImageLimits().bytes, timeout: .seconds(86_400), metrics: client.metrics,
            retries: retries)
        var worker = Upstream.worker()
        #expect(throws: FetchError.self) {
            _ = try fetcher.fetch(upstream.url, nil, .live, client.governor, &worker) { $0 }
        }
        #expect(upstream.origin.totalRequests == 1)
    }
}
