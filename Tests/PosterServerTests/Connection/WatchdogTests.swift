import Glibc
import PosterKit
import Testing

@testable import FixtureOrigin
@testable import PosterServer

/// Absolute deadlines: what a client may hold a connection for, however it drips.
@Suite struct WatchdogTests {
    /// A connection of the table with its client's end; the clock is the test's.
    private struct Watched {
        let table = ConnectionTable(limits: .init(), metrics: RequestMetrics())
        let connection: ClientConnection
        let client: RawClient
        let socket: Int32

        init() throws {
            let listening = try ListenAddress(host: "127.0.0.1", port: 0).listen()
            defer { close(listening) }
            client = RawClient(port: ListenAddress.port(of: listening))
            var accepted: Int32 = -1
            while accepted < 0 {
                var waiting = pollfd(fd: listening, events: Int16(POLLIN), revents: 0)
                try #require(poll(&waiting, 1, 10_000) == 1)
                accepted = accept(listening, nil, nil)
            }
            socket = accepted
            connection = table.open(socket: socket)
        }

        /// Looks at a moment from now, and says whether the client was hung up on.
        func isEnded(after seconds: Int64) -> Bool {
            table.sweep(now: milliseconds() + seconds * 1000)
            return client.hasInput
        }
    }

    @Test func `a head may take ten seconds from the connection's begin`() throws {
        let watched = try Watched()
        #expect(!watched.isEnded(after: 9))
        watched.connection.enter(.head)
        watched.client.send("GET / HTTP/1.1\r\nX: y")
        #expect(!watched.isEnded(after: 9))
        #expect(watched.isEnded(after: 11))
        close(watched.socket)
    }

    @Test func `an answer may take a minute`() throws {
        let watched = try Watched()
        watched.connection.enter(.sending)
        #expect(!watched.isEnded(after: 59))
        #expect(watched.isEnded(after: 61))
        close(watched.socket)
    }

    @Test func `a client that waits for its answer is no slow client`() throws {
        let watched = try Watched()
        watched.connection.enter(.working)
        #expect(!watched.isEnded(after: 100_000))
        close(watched.socket)
    }

    @Test func `between two requests a minute may pass`() throws {
        let watched = try Watched()
        watched.connection.enter(.idle)
        #expect(!watched.isEnded(after: 59))
        #expect(watched.connection.phase == .idle)
        #expect(watched.isEnded(after: 61))
        close(watched.socket)
    }

    @Test func `the first byte of a next request starts its ten seconds`() throws {
        let watched = try Watched()
        watched.connection.enter(.idle)
        // The kernel tells the time of the last byte to a few milliseconds: what came so soon
        // after the last request cannot be told from it.
        #expect(!watched.client.hasInput(within: 100))
        watched.client.send("G")
        var waiting = pollfd(fd: watched.socket, events: Int16(POLLIN), revents: 0)
        #expect(poll(&waiting, 1, 10_000) == 1)
        #expect(!watched.isEnded(after: 0))
        #expect(watched.connection.phase == .head)
        #expect(!watched.isEnded(after: 9))
        #expect(watched.isEnded(after: 11))
        close(watched.socket)
    }

    @Test func `a closed connection is not looked at any more`() throws {
        let watched = try Watched()
        watched.table.close(watched.connection)
        #expect(!watched.isEnded(after: 100_000))
        #expect(watched.table.counts.isEmpty)
        close(watched.socket)
    }

    @Test func `half a head is ended over the wire, though bytes keep coming`() throws {
        let site = try TestSite({ $0.headTimeout = .milliseconds(100) })
        let client = RawClient(port: site.server.port)
        client.send("GET /healthz HTTP/1.1\r\nHost: x\r\nX: ")
        // 1500 waits of 20 ms at most; the watchdog looks once a second.
        let isEnded = (0..<1500).contains { _ in
            client.send("a")
            return client.hasInput(within: 20)
        }
        #expect(isEnded)
        #expect(client.receiveAll() == [])
    }

    @Test func `a reader that does not read is ended over the wire`() throws {
        let site = try TestSite({ $0.answerTimeout = .milliseconds(100) })
        let target = "/t/p/w342\(ServingTests.poster.path)"
        #expect(try site.get(target).status == 200)
        let client = RawClient(port: site.server.port, receiveBuffer: 4096)
        // More answers than the kernel's buffers hold.
        for _ in 0..<400 { client.send("GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n") }
        let line = "onesheet_http_overdue_total{phase=\"answer\"} 0\n"
        let isEnded = try (0..<20_000).contains { _ in
            try !site.get("/metrics").text.contains(line)
        }
        #expect(isEnded)
    }
}
