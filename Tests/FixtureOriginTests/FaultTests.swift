import Testing

@testable import FixtureOrigin

/// What each fault puts on the wire, byte for byte where the bytes matter.
@Suite(.timeLimit(.minutes(2))) struct FaultTests {
    static let path = "/t/p/w342/a.jpg"
    static let poster = (0..<10_000).map { UInt8(($0 * 7 + $0 / 256) & 0xFF) }

    private let origin: Origin

    init() throws {
        origin = try Origin()
        origin.put(Self.path, Self.poster, headers: [("ETag", "\"one\"")])
    }

    @Test("a fault does on the wire what it says", arguments: WireCase.all)
    func wire(expected: WireCase) throws {
        defer { origin.stop() }
        origin.misbehave(at: Self.path, expected.fault)
        let (response, ending) = fetch(origin.port, Self.path, "If-None-Match: \"new\"")
        #expect(response.lines[0] == expected.statusLine)
        for line in expected.has { #expect(response.lines.contains(line)) }
        for name in expected.lacks { #expect(response.header(name) == nil) }
        if let body = expected.body { #expect(response.body == body) }
        #expect(ending == expected.ending)
    }

    @Test("what is no head at all arrives as it is", arguments: Fault.NotHTTP.allCases)
    func notHTTP(kind: Fault.NotHTTP) throws {
        defer { origin.stop() }
        origin.misbehave(at: Self.path, .notHTTP(kind))
        let client = try #require(RawClient(port: origin.port))
        client.ask(Self.path)
        client.read()
        let received = client.received
        switch kind {
        case .http09: #expect(received == Self.poster)
        case .icy: #expect(received.starts(with: Array("ICY 200 OK\r\n".utf8)))
        case .garbage: #expect(received.starts(with: [0x00, 0xFF, 0x13, 0x37]))
        case .emptyReply: #expect(received.isEmpty)
        }
        #expect(client.ending == .closed)
    }

    @Test func `a refusal resets before any byte`() throws {
        defer { origin.stop() }
        origin.misbehave(at: Self.path, .refused)
        let client = try #require(RawClient(port: origin.port))
        client.ask(Self.path)
        client.read()
        #expect(client.received.isEmpty)
        #expect(client.ending == .reset)
    }

    @Test func `heads grow as long as they say`() throws {
        defer { origin.stop() }
        origin.misbehave(at: Self.path, .headerBomb(.longLine))
        let long = fetch(origin.port, Self.path).response
        #expect(long.header("X-Long")?.utf8.count == 200_000)
        #expect(long.body == Self.poster)

        origin.misbehave(at: Self.path, .headerBomb(.manyLines))
        let many = fetch(origin.port, Self.path).response
        #expect(many.lines.count(where: { $0.hasPrefix("X-Line-") }) == 5000)
        #expect(many.body == Self.poster)
    }

    @Test(
        "what has no end goes on until the client leaves",
        arguments: [
            Fault.endless(), .endless(chunked: false), .headerBomb(.endless),
            .oversized(length: 1 << 40), .informational(count: .max),
            .drip(bytes: 1000, every: .zero, endless: true),
        ])
    func endless(fault: Fault) throws {
        defer { origin.stop() }
        origin.misbehave(at: Self.path, fault)
        do {
            let client = try #require(RawClient(port: origin.port))
            client.ask(Self.path)
            client.read(upTo: 200_000)
            #expect(client.received.count == 200_000)
            #expect(client.ending == .open)
        }
        #expect(origin.waitUntilOpenConnections(atMost: 0))
    }

    @Test("a hang gives what comes before it and ends with the client", arguments: [nil, 0, 100])
    func hang(after count: Int?) throws {
        defer { origin.stop() }
        origin.misbehave(at: Self.path, .hang(after: count))
        let leaving = try #require(RawClient(port: origin.port))
        leaving.ask(Self.path)
        #expect(origin.waitUntilRequested(Self.path))
        if let count {
            let head = leaving.readHead()
            leaving.read(upTo: head.headBytes + count)
        }
        origin.goDown()
        leaving.read()
        #expect(leaving.ending == .closed)
        let response = Response(leaving.received)
        #expect(response?.body == count.map { Array(Self.poster.prefix($0)) })
        #expect((response == nil) == leaving.received.isEmpty)

        try origin.comeBack()
        do {
            let client = try #require(RawClient(port: origin.port))
            client.ask(Self.path)
            #expect(origin.waitUntilRequested(Self.path, count: 2))
        }
        #expect(origin.waitUntilOpenConnections(atMost: 0))
    }

    @Test func `after an excess the connection stays, with the excess in the next answer's way`()
        throws
    {
        defer { origin.stop() }
        origin.misbehave(at: Self.path, .excess(5), times: 1)
        let client = try #require(RawClient(port: origin.port))
        client.ask(Self.path, "Accept: */*")
        #expect(client.readResponse().body == Self.poster)
        client.ask(Self.path)
        client.read()
        #expect(client.received.starts(with: Array("xxxxxHTTP/1.1 200 OK".utf8)))
    }

    @Test func `a fault for two times lets every path under its pattern fail twice`() {
        defer { origin.stop() }
        origin.put("/t/p/w342/b.jpg", [1])
        origin.misbehave(at: "/t/p/*", .status(500), times: 2)
        for path in [Self.path, "/t/p/w342/b.jpg"] {
            let statuses = (0..<3).map { _ in fetch(origin.port, path).response.status }
            #expect(statuses == [500, 500, 200])
        }
    }

    @Test func `the path itself wins over a pattern, a longer pattern over a shorter`() {
        defer { origin.stop() }
        origin.misbehave(at: "*", .status(500))
        origin.misbehave(at: "/t/p/*", .status(502))
        origin.misbehave(at: Self.path, .status(503))
        let status = { (path: String) in fetch(self.origin.port, path).response.status }
        #expect([Self.path, "/t/p/x", "/y"].map(status) == [503, 502, 500])
        origin.behave(at: Self.path)
        #expect(status(Self.path) == 502)
        origin.reset()
        #expect(status(Self.path) == 404)
    }

    @Test func `a sequence is gone through once, and flapping is the same for the same seed`() {
        defer { origin.stop() }
        origin.misbehave(at: Self.path, .sequence([.status(503), .normal, .status(429)]))
        let statuses = (0..<5).map { _ in fetch(origin.port, Self.path).response.status }
        #expect(statuses == [503, 200, 429, 200, 200])

        let failures = { (seed: UInt64) in
            (0..<1000).filter { number in
                let fault = Fault.flapping(.status(503), percent: 50, seed: seed)
                if case .status = fault.turn(number) { return true }
                return false
            }
        }
        #expect(failures(1) == failures(1))
        #expect(failures(1) != failures(2))
        #expect((400...600).contains(failures(1).count))
    }

    @Test func `an unchanged poster is 304 again once the fault is over`() {
        defer { origin.stop() }
        let condition = "If-None-Match: \"one\""
        origin.misbehave(at: Self.path, .ignoresConditional, times: 1)
        #expect(fetch(origin.port, Self.path, condition).response.body == Self.poster)
        #expect(fetch(origin.port, Self.path, condition).response.status == 304)
    }
}
