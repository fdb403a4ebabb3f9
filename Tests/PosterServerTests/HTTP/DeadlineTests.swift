import Glibc
import Synchronization
import Testing

@testable import FixtureOrigin
@testable import PosterHTTP
@testable import PosterServer

/// Absolute deadlines: what a client may hold a connection for, however it drips.
@Suite struct DeadlineTests {
    private static let healthz = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"

    /// A site whose connections live by a clock that only the test moves.
    private final class Timed {
        let site: TestSite
        private let clock = ManualClock()

        init(_ change: (inout ServerConfiguration) -> Void = { _ in }) throws {
            let clock = clock
            site = try TestSite({ configuration in
                configuration.clock = { clock.now }
                change(&configuration)
            })
        }

        func connect() throws -> RawClient {
            let before = open
            let client = RawClient(port: site.server.port)
            try settle { $0.open > before }
            return client
        }

        var open: Int { site.server.http.connectionCounts.values.reduce(0, +) }

        func count(_ phase: ConnectionPhase) -> Int {
            site.server.http.connectionCounts[phase] ?? 0
        }

        func advance(by seconds: Int64) {
            clock.advance(by: seconds * 1000)
            site.server.http.wake()
        }

        /// Looks until something is so; the server has threads of its own.
        func settle(_ isSo: (Timed) -> Bool) throws {
            try #require(eventually { isSo(self) })
        }

        /// Lets the server look at its deadlines now: another connection's answer comes from the
        /// same thread, after them.
        func look() throws {
            let client = RawClient(port: site.server.port)
            for _ in 0..<2 {
                client.send(DeadlineTests.healthz)
                _ = try #require(client.receiveResponse())
            }
        }
    }

    private final class ManualClock: Sendable {
        private let milliseconds = Atomic<Int64>(1_000_000)

        var now: Int64 { milliseconds.load(ordering: .relaxed) }

        func advance(by amount: Int64) { milliseconds.wrappingAdd(amount, ordering: .relaxed) }
    }

    @Test func `a head may take ten seconds from the connection's begin`() throws {
        let timed = try Timed()
        let client = try timed.connect()
        timed.advance(by: 9)
        client.send("GET / HTTP/1.1\r\nX: y")
        try timed.look()
        #expect(!client.hasInput)
        timed.advance(by: 2)
        #expect(client.receiveAll() == [])
        let line = "onesheet_http_overdue_total{phase=\"head\"} 1\n"
        #expect(try timed.site.get("/metrics").text.contains(line))
    }

    @Test func `between two requests a minute may pass`() throws {
        let timed = try Timed()
        let client = try timed.connect()
        for _ in 0..<3 {
            client.send(Self.healthz)
            #expect(client.receiveResponse()?.status == 200)
            try timed.settle { $0.count(.idle) == 1 }
            timed.advance(by: 59)
            try timed.look()
            #expect(!client.hasInput)
        }
        timed.advance(by: 2)
        #expect(client.receiveAll() == [])
    }

    @Test func `the first byte of a next request starts its ten seconds`() throws {
        let timed = try Timed()
        let client = try timed.connect()
        client.send(Self.healthz)
        #expect(client.receiveResponse()?.status == 200)
        try timed.settle { $0.count(.idle) == 1 }
        timed.advance(by: 50)
        client.send("G")
        try timed.settle { $0.count(.head) == 1 }
        for _ in 0..<9 {
            timed.advance(by: 1)
            client.send("E")
            try timed.look()
            #expect(!client.hasInput)
        }
        timed.advance(by: 2)
        #expect(client.receiveAll() == [])
    }

    @Test func `a client that waits for its answer is no slow client`() throws {
        let timed = try Timed({ $0.deadline = .seconds(60) })
        let target = "/t/p/w342\(ServingTests.poster.path)"
        timed.site.origin.hold(at: target)
        let client = try timed.connect()
        client.send("GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(timed.site.origin.waitUntilHeld(target))
        timed.advance(by: 100_000)
        try timed.look()
        timed.site.origin.release(at: target)
        #expect(client.receiveResponse()?.body == ServingTests.poster.bytes)
    }

    @Test func `an answer may take a minute, and what is not taken by then is given up`() throws {
        let timed = try Timed()
        let target = "/t/p/w500\(ServingTests.poster.path)"
        #expect(try timed.site.get(target).status == 200)
        // A connection counts as sending for a moment after its client has the answer.
        try timed.settle { $0.count(.sending) == 0 }
        let client = RawClient(port: timed.site.server.port, receiveBuffer: 4096)
        // More answers than the kernel's buffers hold.
        for _ in 0..<100 { client.send("GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n") }
        try timed.settle { $0.count(.sending) == 1 }
        timed.advance(by: 59)
        try timed.look()
        try timed.settle { $0.count(.sending) == 1 }
        timed.advance(by: 2)
        try timed.settle { $0.count(.sending) == 0 }
        let line = "onesheet_http_overdue_total{phase=\"answer\"} 1\n"
        #expect(try timed.site.get("/metrics").text.contains(line))
    }

    @Test func `a client that takes nothing of its last answer is given up after a minute`() throws
    {
        let timed = try Timed()
        let target = "/t/p/w500\(ServingTests.poster.path)"
        #expect(try timed.site.get(target).status == 200)
        try timed.settle { $0.open == 0 }
        let client = RawClient(port: timed.site.server.port, receiveBuffer: 4096)
        client.send("GET \(target) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        // It has ended its side as well, so that a close would leave the answer to the kernel.
        client.finishSending()
        try timed.settle { $0.count(.closing) == 1 }
        for _ in 0..<19 {
            timed.advance(by: 3)
            try timed.look()
            #expect(timed.count(.closing) >= 1)
        }
        timed.advance(by: 4)
        try timed.settle { $0.count(.closing) == 0 }
    }

    @Test
    func `an answer that lies unread when a connection has been idle too long is thrown away`()
        throws
    {
        let timed = try Timed()
        let target = "/t/p/w500\(ServingTests.poster.path)"
        let length = try timed.site.get(target).body.count
        let client = RawClient(port: timed.site.server.port, receiveBuffer: 4096)
        client.send("GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n")
        // The kernel has taken all of it, so that the connection is idle.
        try timed.settle { $0.count(.idle) == 1 }
        timed.advance(by: 61)
        try timed.settle { $0.open == 0 }
        #expect(client.receiveAll().count < length)
    }

    @Test func `a client that has its last answer and stays is left after two seconds`() throws {
        let timed = try Timed()
        let client = try timed.connect()
        client.send("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        #expect(client.receiveResponse()?.text == "ok\n")
        try timed.settle { $0.count(.closing) == 1 }
        // More than once, because the client's kernel may take a while to acknowledge the end.
        try timed.settle {
            $0.advance(by: 3)
            return $0.open == 0
        }
    }

    @Test func `half a head is ended over the wire, though bytes keep coming`() throws {
        let site = try TestSite({ $0.headTimeout = .milliseconds(100) })
        let client = RawClient(port: site.server.port)
        client.send("GET /healthz HTTP/1.1\r\nHost: x\r\nX: ")
        // 1500 waits of 20 ms at most.
        let isEnded = (0..<1500).contains { _ in
            client.send("a")
            return client.hasInput(within: 20)
        }
        #expect(isEnded)
        #expect(client.receiveAll() == [])
    }
}
