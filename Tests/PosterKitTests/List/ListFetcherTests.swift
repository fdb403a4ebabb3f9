import Amodb
import Testing

@testable import FixtureOrigin
@testable import PosterBase
@testable import PosterFetch
@testable import PosterKit
@testable import PosterLists

@Suite struct ListFetcherTests {
    private static let path = "/3/trending/movie/week"
    private static let list = Array("{\"results\":[]}".utf8)

    /// An API, and a fetcher whose waits take no time but on its own clock.
    private final class API: Sendable {
        let origin: Origin
        let fetcher: ListFetcher
        let waits: Monitor<[Duration]>

        init(_ fault: Fault? = nil, times: Int? = nil) throws {
            origin = try Origin(key: Upstream.key)
            origin.put(path, list, headers: [("Content-Type", "application/json; charset=utf-8")])
            if let fault { origin.misbehave(at: path, fault, times: times) }
            let waits = Monitor<[Duration]>([])
            let start = ContinuousClock.now
            let clock = TimeSource(now: { .now() }) {
                start + waits.withLock { $0.reduce(.zero, +) }
            }
            fetcher = ListFetcher(
                apiBase: try BaseURL(origin.apiBase), timeout: .seconds(10),
                governor: HostGovernor(perSecond: 0, clock: clock),
                budget: RequestBudget(perMinute: 0, file: nil, clock: clock),
                metrics: FetchMetrics()
            ) { duration in
                waits.withLock { $0.append(duration) }
                return true
            }
            self.waits = waits
        }

        deinit { origin.stop() }

        func fetch(
            _ query: String = "", key: String = Upstream.key
        ) throws -> ListFetcher.Outcome {
            var worker = Upstream.worker()
            let request = try ListRequest(path: "/trending/movie/week", query: query)
            return try fetcher.fetch(request, key: Secret(key), .otherList, using: &worker)
        }

        /// Expects a failure, and what it cost.
        func fails(
            _ error: ListError, requests: Int = 1, waits expected: [Int] = [],
            _ location: SourceLocation = #_sourceLocation
        ) {
            let thrown = #expect(throws: ListError.self, sourceLocation: location) { try fetch() }
            #expect(thrown == error, sourceLocation: location)
            #expect(origin.totalRequests == requests, sourceLocation: location)
            #expect(
                waits.withLock { $0 } == expected.map { .seconds($0) }, sourceLocation: location)
        }
    }

    @Test func `a list comes as the API sent it`() throws {
        guard case .list(let body, let contentType) = try API().fetch() else {
            return #expect(Bool(false))
        }
        #expect(body == Self.list)
        #expect(contentType == "application/json; charset=utf-8")
    }

    @Test func `the key goes into Authorization and nowhere else`() throws {
        let api = try API()
        _ = try api.fetch("language=ru-RU&api_key=from-a-client")
        let sent = try #require(api.origin.log.first)
        #expect(sent.target == "\(Self.path)?language=ru-RU")
        #expect(sent.header("Authorization") == "Bearer \(Upstream.key)")
        let others = sent.headers.filter { $0.name.lowercased() != "authorization" }
        #expect(!others.contains { $0.value.contains(Upstream.key) })
        #expect(others.map { $0.name.lowercased() }.sorted() == ["accept", "host", "user-agent"])
    }

    @Test func `a refused key and an ended plan are told, and not asked again`() throws {
        try API(.status(401)).fails(.keyRefused)
        try API(.status(402)).fails(.planEnded)
        let wrong = try API()
        #expect(throws: ListError.keyRefused) { try wrong.fetch(key: "wrong") }
    }

    @Test(
        "a full rate limit is waited out as asked, twice, and then told",
        arguments: [
            (["7"], 7), ([], 5), ([""], 5), (["soon"], 5), (["1e3"], 5), (["-5"], 5), (["30"], 30),
            (["0"], 1), (["3", "4"], 4),
        ])
    func rateLimited(values: [String], seconds: Int) throws {
        let headers = values.map { ("Retry-After", $0) }
        try API(.status(429, headers: headers)).fails(
            .rateLimited(retryAfterSeconds: seconds), requests: 3, waits: [seconds, seconds])
    }

    @Test func `nobody waits for longer than half a minute`() throws {
        try API(.status(429, headers: [("Retry-After", "31")])).fails(
            .rateLimited(retryAfterSeconds: 31))
    }

    @Test func `a rate limit that ends in time is no error`() throws {
        let api = try API(.status(429, headers: [("Retry-After", "2")]), times: 2)
        guard case .list = try api.fetch() else { return #expect(Bool(false)) }
        #expect(api.waits.withLock { $0 } == [.seconds(2), .seconds(2)])
    }

    @Test func `while a pause lasts, other requests do not reach the API either`() throws {
        let api = try API(.status(429, headers: [("Retry-After", "60")]))
        #expect(throws: ListError.self) { try api.fetch() }
        #expect(throws: ListError.rateLimited(retryAfterSeconds: 60)) { try api.fetch("page=2") }
        #expect(api.origin.totalRequests == 1)
    }

    @Test("a fault of the server is told as it is", arguments: [500, 502, 503, 504, 204, 206, 304])
    func statuses(status: Int) throws {
        try API(.status(status)).fails(.status(status))
    }

    @Test func `what the API says of a request is passed on`() throws {
        let json = Array("{\"status_message\":\"not found\"}".utf8)
        let api = try API(
            .status(404, headers: [("Content-Type", "application/json")], body: json))
        guard case .other(404, let body, "application/json") = try api.fetch() else {
            return #expect(Bool(false))
        }
        #expect(body == json)
    }

    @Test func `a page of HTML is not passed on, its status is`() throws {
        let page = Array("<script>alert(1)</script>".utf8)
        let api = try API(.status(404, headers: [("Content-Type", "text/html")], body: page))
        guard case .other(404, [], nil) = try api.fetch() else { return #expect(Bool(false)) }
    }

    @Test func `a redirect is not followed, so the key goes to no other host`() throws {
        let other = try Upstream()
        let api = try API(.redirect(to: other.url))
        #expect(throws: ListError.self) { try api.fetch() }
        #expect(other.origin.acceptedConnections == 0)
        try API(.redirect(to: "/elsewhere")).fails(
            .unreachable(FetchError(.redirectRefused, "status 302 after 0 steps")))
    }

    @Test(
        "a success that holds no list is none",
        arguments: [
            .html, .empty, .gzip, .oversized(length: (4 << 20) + 1), .endless(chunked: true),
        ] as [Fault])
    func invalid(fault: Fault) throws {
        let error = #expect(throws: ListError.self) { try API(fault).fetch() }
        guard case .invalid = error else { return #expect(Bool(false), "\(error as Any)") }
    }

    @Test func `a key that no header may hold is not sent in pieces`() throws {
        let api = try API()
        #expect(throws: ListError.self) { try api.fetch(key: "a\r\nX-Evil: 1") }
        #expect(api.origin.totalRequests == 0)
    }
}
