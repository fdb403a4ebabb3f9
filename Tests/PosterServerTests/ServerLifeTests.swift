import PosterBase
import PosterKit
import Testing

@testable import FixtureOrigin
@testable import PosterHTTP
@testable import PosterServer

/// Starting, stopping, and what an operator looks at.
@Suite struct ServerLifeTests {
    private let target = ServingTests.poster.path

    @Test func `it listens on a port of the system's choice, also twice in a process`() throws {
        let (one, two) = (try TestSite(), try TestSite())
        #expect(one.server.port != 0)
        #expect(one.server.port != two.server.port)
        #expect(try one.get("/healthz").text == "ok\n")
        #expect(try two.get("/healthz").text == "ok\n")
    }

    @Test func `it listens on IPv6`() throws {
        let site = try TestSite({ $0.listen = ListenAddress(host: "::1", port: 0) })
        #expect(site.server.port != 0)
    }

    @Test func `a port that is taken is an error with the system's words`() throws {
        let site = try TestSite()
        #expect(throws: ServerError.listen("127.0.0.1:\(site.server.port)", code: 98)) {
            try TestSite({ $0.listen.port = site.server.port })
        }
    }

    @Test(
        "an address that is none is refused",
        arguments: [
            "", "8080", "localhost:80", "1.2.3.4", "1.2.3.4:", "1.2.3.4:65536",
            "1.2.3.4:-1", "::1:80", "[::1]", "[::1:80", "1.2.3.4:+1", "300.1.1.1:80", "a b:1",
        ])
    func badAddress(text: String) {
        #expect(throws: ServerError.address(text)) { try ListenAddress(text) }
    }

    @Test(
        "an address is read",
        arguments: [
            ("127.0.0.1:8080", "127.0.0.1", 8080), (":8080", "0.0.0.0", 8080),
            ("[::1]:0", "::1", 0), ("0.0.0.0:65535", "0.0.0.0", 65535),
        ] as [(String, String, UInt16)])
    func address(text: String, host: String, port: UInt16) throws {
        #expect(try ListenAddress(text) == ListenAddress(host: host, port: port))
    }

    @Test func `stopping lets what is in flight finish, and takes nothing new`() throws {
        let site = try TestSite()
        site.origin.hold(at: "/t/p/*")
        let client = RawClient(port: site.server.port)
        client.send("GET /t/p/w342\(target) HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(site.origin.waitUntilHeld("/t/p/w342\(target)"))
        let stopped = Monitor(false)
        let stopper = PosixThread(name: "stopper") {
            site.server.stop(grace: .seconds(20))
            stopped.withLock { $0 = true }
        }
        // Once the end has begun, whoever connects is hung up on instead of answered.
        #expect(
            (0..<10_000).contains { _ in
                (try? site.get("/healthz")) == nil
            })
        site.origin.release(at: "/t/p/*")
        let response = client.receiveResponse()
        #expect(response?.body == ServingTests.poster.bytes)
        #expect(response?.header("Connection")?.lowercased() == "close")
        stopper.join()
        #expect(stopped.withLock { $0 })
    }

    @Test func `what is not done after the grace is answered with 503`() throws {
        let site = try TestSite()
        site.origin.hold(at: "/t/p/*")
        let client = RawClient(port: site.server.port)
        client.send("GET /t/p/w342\(target) HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(site.origin.waitUntilHeld("/t/p/w342\(target)"))
        site.server.stop(grace: .zero)
        #expect(client.receiveResponse()?.status == 503)
        site.origin.release(at: "/t/p/*")
    }

    @Test func `idle connections do not delay the end`() throws {
        let site = try TestSite()
        let clients = (0..<20).map { _ in RawClient(port: site.server.port) }
        for client in clients {
            client.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(client.receiveResponse()?.status == 200)
        }
        site.server.stop(grace: .seconds(60))
        for client in clients { #expect(client.receiveAll() == []) }
    }

    @Test("a client that connected before the end gets its answer", arguments: [1, 3])
    func backlog(threads: Int) throws {
        let gate = Monitor(true)
        defer {
            gate.withLock { $0 = true }
            gate.notifyAll()
        }
        // Its threads stand still while the gate is shut, so that the clients wait in the backlog.
        let site = try TestSite({ configuration in
            configuration.threads = threads
            configuration.clock = {
                _ = gate.wait { $0 ? true : nil }
                return milliseconds()
            }
        })
        gate.withLock { $0 = false }
        let clients = (0..<400).map { _ in RawClient(port: site.server.port) }
        for client in clients.prefix(200) {
            client.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        }
        let stopper = PosixThread(name: "stopper") { site.server.stop(grace: .seconds(20)) }
        #expect(eventually { site.server.http.isEnding })
        gate.withLock { $0 = true }
        gate.notifyAll()
        for client in clients.suffix(200) {
            client.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        }
        for client in clients { #expect(client.receiveResponse()?.status == 200) }
        stopper.join()
    }

    // Each end races with connections that are just being accepted; whoever loses must not take
    // the process along.
    @Test("servers end cleanly while clients still connect, one after another", arguments: [1, 3])
    func endings(threads: Int) throws {
        let site = try TestSite()
        for _ in 0..<40 {
            var serving = ServerConfiguration()
            serving.listen = ListenAddress(host: "127.0.0.1", port: 0)
            serving.threads = threads
            let server = try Server(serving, store: site.store, lists: nil, log: .silent)
            let clients = (0..<3).map { _ in
                PosixThread(name: "client") {
                    var isAccepted = true
                    while isAccepted {
                        let client = RawClient(port: server.port)
                        client.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
                        isAccepted = client.receiveResponse() != nil
                    }
                }
            }
            server.stop(grace: .seconds(20))
            for client in clients { client.join() }
            #expect(!RawClient(port: server.port).isConnected)
        }
    }

    @Test func `it is ready while all is well, and says why when it is not`() throws {
        let site = try TestSite()
        #expect(try site.get("/readyz").status == 200)
        let reply = Readiness.reply([HealthIssue(.diskFull, "no \"room\"")])
        #expect(reply.status == 503)
        guard case .bytes(let body) = reply.body else {
            Issue.record("no body")
            return
        }
        #expect(
            String(decoding: body, as: UTF8.self)
                == "{\"status\":\"not ready\",\"reasons\":[{\"code\":\"disk_full\","
                + "\"message\":\"no \\\"room\\\"\"}]}\n")
    }

    @Test func `metrics count what was answered`() throws {
        let site = try TestSite()
        _ = try site.get("/t/p/w342\(target)")
        _ = try site.get("/t/p/w342\(target)")
        _ = try site.get("/t/p/w342/a.svg")
        _ = try site.get("/nowhere")
        let response = try site.get("/metrics")
        #expect(response.header("Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
        for line in [
            "onesheet_http_requests_total{route=\"poster\",status=\"200\"} 2",
            "onesheet_http_requests_total{route=\"none\",status=\"400\"} 1",
            "onesheet_http_requests_total{route=\"none\",status=\"404\"} 1",
            "onesheet_cache_results_total{result=\"miss\"} 1",
            "onesheet_upstream_requests_total{outcome=\"fetched\"} 1",
            "onesheet_http_connections{phase=\"working\"} 1",
            "onesheet_memory_tier_entries 1", "onesheet_upstream_backoff_seconds 0",
            "onesheet_build_info{version=\"\(Program.version)\"} 1",
        ] { #expect(response.text.contains(line + "\n"), "\(line) in \(response.text)") }
    }

    @Test func `the page and its assets are served, and not again when unchanged`() throws {
        let site = try TestSite()
        let page = try site.get("/?language=en-US", "Accept-Language: en")
        #expect(page.status == 200)
        #expect(page.header("Content-Type")?.hasPrefix("text/html") == true)
        let style = try site.get("/assets/page.css")
        #expect(style.status == 200)
        let tag = try #require(style.header("ETag"))
        #expect(try site.get("/assets/page.css", "If-None-Match: \(tag)").status == 304)
        #expect(try site.get("/assets/none.css").status == 404)
    }

    @Test func `one line a request goes to the access log, and nothing in it breaks a line`() throws
    {
        let lines = Monitor<[String]>([])
        let site = try TestSite({ configuration in
            configuration.accessLog = AccessLog { line in lines.withLock { $0.append(line) } }
        })
        _ = site.exchange("GET /nowhere\u{1B}[31m HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try site.get("/healthz")
        site.server.stop(grace: .seconds(20))
        let all = lines.withLock { $0 }
        #expect(all.count == 2)
        #expect(all.allSatisfy { $0.unicodeScalars.allSatisfy { $0.value >= 0x20 } })
        #expect(all.last?.contains("status=200") == true)
    }
}
