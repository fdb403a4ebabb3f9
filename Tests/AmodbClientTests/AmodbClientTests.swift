import Amodb
import Foundation
import Synchronization
import Testing

@testable import AmodbClient
@testable import FixtureOrigin

@Suite struct AmodbClientTests {
    private static let week = "/3/trending/movie/week"
    private static let list = Array(
        #"{"page":1,"total_pages":3,"results":[{"id":7,"title":"Seven"}]}"#.utf8)

    /// An API, and a client whose waits are noted and take no time.
    private final class API: Sendable {
        let origin: Origin
        let client: AmodbClient
        private let noted: Noted

        private final class Noted: Sendable {
            let waits = Mutex<[Duration]>([])
        }

        init(
            _ fault: Fault? = nil, times: Int? = nil, token: String? = "secret",
            timeout: Duration = .seconds(10)
        ) throws {
            origin = try Origin(key: "secret")
            origin.put(week, list)
            if let fault { origin.misbehave(at: week, fault, times: times) }
            let noted = Noted()
            self.noted = noted
            client = AmodbClient(
                base: try BaseURL(origin.apiBase), token: token, timeout: timeout
            ) { wait in noted.waits.withLock { $0.append(wait) } }
        }

        deinit { origin.stop() }

        var waits: [Duration] { noted.waits.withLock { $0 } }

        /// Expects a failure, and the requests and waits that came before it.
        func fails(
            _ expected: AmodbClientError, requests: Int = 1, waits: [Duration] = [],
            _ location: SourceLocation = #_sourceLocation
        ) async {
            await #expect(throws: expected, sourceLocation: location) {
                try await client.trending()
            }
            #expect(origin.totalRequests == requests, sourceLocation: location)
            #expect(self.waits == waits, sourceLocation: location)
        }
    }

    @Test func `a list is typed, and the key goes into Authorization and nowhere else`()
        async throws
    {
        let api = try API()
        let page = try await api.client.trending(language: "pt-BR")
        #expect(page.films.map(\.title) == ["Seven"])
        #expect(page.totalPages == 3)
        let sent = try #require(api.origin.log.first)
        #expect(sent.target == "\(Self.week)?language=pt-BR")
        #expect(sent.header("Authorization") == "Bearer secret")
        let others = sent.headers.filter { $0.name.lowercased() != "authorization" }
        #expect(!others.contains { $0.value.contains("secret") })
    }

    @Test func `the second page of a list of series, and details with cast and ratings`()
        async throws
    {
        let api = try API()
        api.origin.put("/3/tv/popular", Self.list)
        api.origin.put(
            "/3/movie/7",
            Array(
                #"{"id":7,"title":"Seven","runtime":127,"ratings":{"imdb":{"value":8.6}}}"#.utf8))
        _ = try await api.client.list("tv/popular", page: 2)
        let film = try await api.client.details(of: 7)
        #expect(film.runtimeMinutes == 127)
        #expect(film.ratings.map(\.value) == [8.6])
        #expect(
            api.origin.log.map(\.target) == [
                "/3/tv/popular?page=2", "/3/movie/7?append_to_response=credits,ratings",
            ])
    }

    @Test func `a refused key, an ended plan and an unknown list are told and not asked again`()
        async throws
    {
        try await API(.status(401)).fails(.keyRefused)
        try await API(.status(402)).fails(.planEnded)
        try await API(.status(404)).fails(.notFound)
        try await API(token: "wrong").fails(.keyRefused)
    }

    @Test func `an empty key is refused before anything is sent`() async throws {
        try await API(token: "").fails(.keyMissing, requests: 0)
        await #expect(throws: AmodbClientError.keyMissing) {
            try await AmodbClient(token: nil).trending()
        }
        await #expect(throws: AmodbClientError.self) {
            try await AmodbClient(token: "two\r\nlines").trending()
        }
    }

    @Test(
        "a full rate limit is waited out as asked, 30 seconds at most, twice, and then told",
        arguments: [
            ("7", 7), (nil, 5), ("", 5), ("soon", 5), ("1e3", 5), ("-5", 5), ("0", 1),
            ("30", 30), ("31", 31), ("99999999999999999999", 86_400),
        ] as [(String?, Int)])
    func rateLimited(field: String?, seconds: Int) async throws {
        let headers = field.map { [("Retry-After", $0)] } ?? []
        let wait = Duration.seconds(min(seconds, 30))
        try await API(.status(429, headers: headers)).fails(
            .rateLimited(retryAfter: .seconds(seconds)), requests: 3, waits: [wait, wait])
    }

    @Test func `a rate limit that ends within two retries is no error`() async throws {
        let api = try API(.status(429, headers: [("Retry-After", "2")]), times: 2)
        #expect(try await api.client.trending().films.count == 1)
        #expect(api.waits == [.seconds(2), .seconds(2)])
    }

    @Test(
        "a date in Retry-After is read by the answer's own Date",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:49 GMT", 12), ("Sun, 06 Nov 1994 08:49:37 GMT", 1),
            ("Sun, 06 Nov 1994 08:00:00 GMT", 1), ("Tue, 06 Nov 2294 08:49:37 GMT", 86_400),
            ("06 Nov 1994", 5),
        ])
    func retryAfterDate(field: String, seconds: Int) {
        let answer = HTTPAnswer(
            status: 429, body: [], retryAfter: field, date: "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(answer.retryAfter == .seconds(seconds))
    }

    @Test func `a relay's 503 with Retry-After is told at once`() async throws {
        try await API(.status(503, headers: [("Retry-After", "9")])).fails(
            .rateLimited(retryAfter: .seconds(9)))
    }

    @Test func `a server's error is told with its message`() async throws {
        try await API(.status(500, body: [])).fails(.server(status: 500, message: nil))
        let relay = Array(
            #"{"error":{"code":"upstream_key_refused","message":"the key was refused"}}"#.utf8)
        try await API(.status(502, body: relay)).fails(
            .server(status: 502, message: "the key was refused"))
        let api = Array(#"{"status_code":11,"status_message":"Internal error."}"#.utf8)
        try await API(.status(504, body: api)).fails(
            .server(status: 504, message: "Internal error."))
    }

    @Test func `a redirect is not followed, so that the key reaches no other host`()
        async throws
    {
        let elsewhere = try Origin(key: "secret")
        defer { elsewhere.stop() }
        elsewhere.put(Self.week, Self.list)
        try await API(.redirect(302, to: elsewhere.apiBase + "/trending/movie/week")).fails(
            .server(status: 302, message: nil))
        #expect(elsewhere.totalRequests == 0)
    }

    @Test func `an answer that is no list is told`() async throws {
        let api = try API(.html)
        await #expect {
            try await api.client.trending()
        } throws: { error in
            if case AmodbClientError.invalidAnswer = error { true } else { false }
        }
    }

    @Test(
        "an answer that does not come whole within the time-out is given up",
        arguments: [Fault.hang(), .hang(after: 5), .drip(bytes: 1, every: .milliseconds(50))])
    func timesOut(fault: Fault) async throws {
        try await API(fault, timeout: .milliseconds(500)).fails(.timedOut)
    }

    @Test func `no server, and a connection that breaks, are told`() async throws {
        let api = try API(.reset(after: 10))
        await #expect(throws: AmodbClientError.self) { try await api.client.trending() }
        api.origin.goDown()
        await #expect {
            try await api.client.trending()
        } throws: { error in
            if case AmodbClientError.network = error { true } else { false }
        }
    }

    @Test func `a cancelled task ends at once, in a request and in a wait`() async throws {
        let silent = try API(.hang())
        let request = Task { try await silent.client.trending() }
        #expect(await isRequested(silent.origin))
        request.cancel()
        #expect(await request.result.failure as? AmodbClientError == .cancelled)

        let busy = try Origin(key: "secret")
        defer { busy.stop() }
        busy.misbehave(at: Self.week, .status(429, headers: [("Retry-After", "30")]))
        let client = AmodbClient(base: try BaseURL(busy.apiBase), token: "secret")
        let wait = Task { try await client.trending() }
        #expect(await isRequested(busy))
        wait.cancel()
        #expect(await wait.result.failure as? AmodbClientError == .cancelled)
    }

    @Test func `requests that are cancelled as they end all come back`() async throws {
        let api = try API()
        for delay in 0..<200 {
            let request = Task { try await api.client.trending() }
            // From before the request is sent until after its answer is there.
            try await Task.sleep(for: .microseconds(delay * 25))
            request.cancel()
            switch await request.result {
            case .success: break
            case .failure(let error): #expect(error as? AmodbClientError == .cancelled)
            }
        }
    }

    @Test(arguments: ["", "/", "trending//week", "../3", "a?b", "a#b", "a%2fb", "Ä"])
    func `a path that is no list's is refused before anything is sent`(path: String) async throws {
        let api = try API()
        await #expect {
            try await api.client.list(path)
        } throws: { error in
            if case AmodbClientError.invalidRequest = error { true } else { false }
        }
        await #expect(throws: AmodbClientError.self) {
            try await api.client.list("movie/popular", page: 0)
        }
        #expect(api.origin.totalRequests == 0)
    }

    @Test func `each error is one sentence that a screen can show`() {
        let errors: [AmodbClientError] = [
            .keyMissing, .invalidRequest("page 0: pages count from 1"), .keyRefused, .planEnded,
            .notFound, .rateLimited(retryAfter: .seconds(9)), .server(status: 500, message: nil),
            .server(status: 502, message: "the key was refused"), .invalidAnswer("not JSON"),
            .timedOut, .network("The Internet connection appears to be offline."), .cancelled,
        ]
        #expect(Set(errors.map(\.description)).count == errors.count)
        for error in errors {
            #expect(error.localizedDescription == error.description)
            #expect(!error.description.contains("\n"))
        }
    }
}

/// Waits on a thread of its own, so that the request has one to run on.
private func isRequested(_ origin: Origin) async -> Bool {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread {
            continuation.resume(
                returning: origin.waitUntilRequested(
                    "/3/trending/movie/week", atMost: .seconds(300)))
        }
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
