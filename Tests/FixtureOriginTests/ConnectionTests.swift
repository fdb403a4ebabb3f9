import Testing

@testable import FixtureOrigin

@Suite(.timeLimit(.minutes(2))) struct ConnectionTests {
    private let origin: Origin
    private let path = "/t/p/w342/a.jpg"

    init() throws {
        origin = try Origin()
        origin.put(path, [1, 2, 3])
    }

    @Test func `one connection serves one request after another, pipelined ones too`() throws {
        defer { origin.stop() }
        let client = try #require(RawClient(port: origin.port))
        for _ in 0..<3 {
            client.ask(path, "Accept: */*")
            #expect(client.readResponse().body == [1, 2, 3])
        }
        client.send(String(repeating: "GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n", count: 20))
        for _ in 0..<20 { #expect(client.readResponse().body == [1, 2, 3]) }
        #expect(origin.acceptedConnections == 1)
        #expect(Set(origin.log.map(\.connection)) == [1])
        #expect(origin.requests(to: path) == 23)
    }

    @Test func `HEAD is the head of GET, and keeps the framing`() throws {
        defer { origin.stop() }
        let client = try #require(RawClient(port: origin.port))
        client.ask(path, method: "HEAD")
        client.read()
        let head = try #require(Response(client.received))
        #expect(head.header("Content-Length") == "3")
        #expect(head.body.isEmpty)
    }

    @Test func `HTTP 1.0 closes unless it asks for more`() throws {
        defer { origin.stop() }
        let client = try #require(RawClient(port: origin.port))
        client.send("GET \(path) HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        #expect(client.readResponse().header("Connection") == "keep-alive")
        client.send("GET \(path) HTTP/1.0\r\n\r\n")
        #expect(client.readResponse().header("Connection") == "close")
        client.read()
        #expect(client.ending == .closed)
    }

    @Test(
        "what is no request is answered 400 or 431 and closed",
        arguments: [
            ("GET /\r\n\r\n", 400), ("G\r\n\r\n", 400), ("GET / HTTP/2.0\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nno colon\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nX: " + String(repeating: "a", count: 70_000), 431),
        ])
    func garbage(text: String, status: Int) throws {
        defer { origin.stop() }
        let client = try #require(RawClient(port: origin.port))
        client.send(text)
        client.read()
        #expect(Response(client.received)?.status == status)
        #expect(origin.totalRequests == 0)
    }

    @Test func `a request is logged with its target, headers, connection and time`() throws {
        defer { origin.stop() }
        _ = fetch(origin.port, "\(path)?w=1", "X-Mark: seen")
        _ = fetch(origin.port, "/3/other", "authorization: Bearer k")
        let log = origin.log
        #expect(log.map(\.target) == ["\(path)?w=1", "/3/other"])
        #expect(log.map(\.method) == ["GET", "GET"])
        #expect(log.map(\.connection) == [1, 2])
        let first = try #require(log.first)
        #expect(first.path == path)
        #expect(first.header("x-mark") == "seen")
        #expect(log[1].header("Authorization") == "Bearer k")
        #expect(first.time <= log[1].time)
        #expect(origin.counts == [path: 1, "/3/other": 1])
        #expect(origin.requests(to: "/t/p/*") == 1)
        #expect(origin.totalRequests == 2)
    }

    @Test func `many clients at once are all answered and all counted`() {
        defer { origin.stop() }
        let origin = origin
        let path = path
        let right = Locked(0)
        let clients = ThreadGroup()
        for _ in 0..<8 {
            #expect(
                clients.start {
                    for _ in 0..<25 where fetch(origin.port, path).response.body == [1, 2, 3] {
                        right.change { $0 += 1 }
                    }
                })
        }
        clients.joinAll()
        #expect(right.read { $0 } == 200)
        #expect(origin.requests(to: path) == 200)
    }

    @Test func `held requests wait until they are released`() throws {
        defer { origin.stop() }
        origin.hold(at: "/t/p/*")
        let clients = try (0..<3).map { _ in try #require(RawClient(port: origin.port)) }
        for client in clients { client.ask(path) }
        #expect(origin.waitUntilHeld("/t/p/*", count: 3))
        #expect(origin.waitUntilHeld(path, count: 3))
        #expect(clients.allSatisfy { !$0.hasInput })
        #expect(fetch(origin.port, "/elsewhere").response.status == 404)

        origin.release(at: "/t/p/*")
        for client in clients { #expect(client.readResponse().body == [1, 2, 3]) }
        #expect(!origin.waitUntilHeld(path, atMost: .zero))
    }

    @Test func `a release lets the waiting go even when a new hold follows at once`() throws {
        defer { origin.stop() }
        origin.hold(at: path)
        let client = try #require(RawClient(port: origin.port))
        client.ask(path)
        #expect(origin.waitUntilHeld(path))
        origin.release(at: path)
        origin.hold(at: path)
        #expect(client.readResponse().status == 200)
    }

    @Test func `waiting for requests ends when they have come, or with the limit`() throws {
        defer { origin.stop() }
        let client = try #require(RawClient(port: origin.port))
        client.ask(path)
        #expect(origin.waitUntilRequested(path))
        #expect(!origin.waitUntilRequested(path, count: 2, atMost: .zero))
    }

    @Test func `an origin that is down refuses, and comes back on its port`() throws {
        defer { origin.stop() }
        let client = try #require(RawClient(port: origin.port))
        client.ask(path, "Accept: */*")
        #expect(client.readResponse().status == 200)
        origin.goDown()
        client.read()
        #expect(client.ending == .closed)
        #expect(RawClient(port: origin.port) == nil)
        try origin.comeBack()
        #expect(fetch(origin.port, path).response.status == 200)
    }

    @Test func `the end leaves no connection and no thread, whatever is going on`() throws {
        let faults: [Fault] = [
            .hang(), .hang(after: 1), .drip(bytes: 1, every: .seconds(60)),
            .drip(bytes: 1, every: .milliseconds(1), endless: true), .endless(),
            .endless(chunked: false), .oversized(length: 1 << 40), .headerBomb(.endless),
            .delay(.seconds(300)), .informational(count: .max), .normal,
        ]
        var clients: [RawClient] = []
        for (number, fault) in faults.enumerated() {
            let client = try #require(RawClient(port: origin.port))
            origin.put("/t/p/w342/\(number).jpg", [1, 2, 3])
            origin.misbehave(at: "/t/p/w342/\(number).jpg", fault)
            client.ask("/t/p/w342/\(number).jpg", "Accept: */*")
            clients.append(client)
        }
        origin.hold(at: path)
        let held = try #require(RawClient(port: origin.port))
        held.ask(path)
        #expect(origin.waitUntilHeld(path))
        #expect(origin.waitUntilRequested("*", count: faults.count + 1))

        origin.stop()
        #expect(origin.openConnections == 0)
        #expect(RawClient(port: origin.port) == nil)
        for client in clients + [held] {
            client.read()
            #expect(client.ending != .open)
        }
    }
}
