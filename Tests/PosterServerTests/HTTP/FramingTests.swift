import Testing
import TestSupport

@testable import FixtureOrigin
@testable import PosterFetch
@testable import PosterHTTP
@testable import PosterServer

/// What HTTP forbids: each is refused with 400 or the status of its kind, the connection ends, and no
/// second answer comes on it.
@Suite struct FramingTests {
    /// A raw request, and the statuses that are right for it; 0 is an end without an answer.
    struct Trick: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var request: String
        var statuses: Set<Int>

        init(_ name: String, _ statuses: Set<Int>, _ request: String) {
            (testDescription, self.statuses, self.request) = (name, statuses, request)
        }

        static let second = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"

        static func head(_ line: String) -> String {
            "GET /healthz HTTP/1.1\r\nHost: x\r\n\(line)\r\n\r\n"
        }

        static let all = [
            // Two lengths, or a length and chunks: the ways to smuggle.
            Trick(
                "length and chunks", [400],
                "POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            Trick(
                "chunks and length", [400],
                "GET /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
                    + "Content-Length: 5\r\n\r\n0\r\n\r\n"),
            Trick("two lengths", [400], head("Content-Length: 0\r\nContent-Length: 0")),
            Trick("two other lengths", [400], head("Content-Length: 0\r\nContent-Length: 5")),
            Trick("a list of lengths", [400], head("Content-Length: 0, 0")),
            Trick("length +0", [400], head("Content-Length: +0")),
            Trick("length -1", [400], head("Content-Length: -1")),
            Trick("length 0x0", [400], head("Content-Length: 0x0")),
            Trick("length 1e0", [400], head("Content-Length: 1e0")),
            Trick("no length", [400], head("Content-Length: ")),
            Trick("length of words", [400], head("Content-Length: zero")),
            Trick("huge length", [400, 413], head("Content-Length: 99999999999999999999")),
            Trick("a body for GET", [400], head("Content-Length: 5") + "12345"),
            Trick("chunks for GET", [400], head("Transfer-Encoding: chunked") + "0\r\n\r\n"),
            Trick("identity coding", [400], head("Transfer-Encoding: identity")),
            Trick("chunked twice", [400], head("Transfer-Encoding: chunked, chunked")),
            Trick("xchunked", [400], head("Transfer-Encoding: xchunked")),
            Trick(
                "two transfer codings", [400],
                head("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity")),
            Trick(
                "chunks in HTTP/1.0", [400],
                "GET /healthz HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            // Lines.
            Trick(
                "bare LF after the request line", [400],
                "GET /healthz HTTP/1.1\nHost: x\r\n\r\n"),
            Trick("bare LF after a field", [400], "GET /healthz HTTP/1.1\r\nHost: x\n\r\n"),
            Trick("bare LF at the end", [400], "GET /healthz HTTP/1.1\r\nHost: x\r\n\n"),
            Trick("bare LF throughout", [400], "GET /healthz HTTP/1.1\nHost: x\n\n"),
            Trick("bare CR in a field", [400], head("X: a\rb")),
            Trick("bare CR between fields", [400], head("X: a\rY: b")),
            Trick("NUL in a field", [400], head("X: a\0b")),
            Trick("NUL in a name", [400], head("X\0Y: b")),
            Trick("NUL at the end of a field", [400], head("X: a\0")),
            Trick("NUL for a value", [400], head("X: \0")),
            Trick("NUL before the colon", [400], head("X\0: a")),
            Trick("NUL and LF for CRLF", [400], head("X: a\0\nY: b")),
            Trick(
                "NUL and LF after the request line", [400],
                "GET /healthz HTTP/1.1\0\nHost: x\r\n\r\n"),
            Trick(
                "a second length behind NUL and LF", [400],
                head("Content-Length: 0\0\nContent-Length: 5")),
            Trick("a second Host behind NUL and LF", [400], head("X: y\0\nHost: y")),
            Trick("NUL, CR and LF within a field", [400], head("X: a\0\r\nb")),
            Trick("two NULs for CRLF", [400], head("X: a\0\0Y: b")),
            Trick("NUL and CR for CRLF", [400], head("X: a\0\rY: b")),
            Trick("control character in a field", [400], head("X: a\u{1B}[31m")),
            Trick("folded field", [400], head("X: a\r\n b")),
            Trick("folded by tab", [400], head("X: a\r\n\tb")),
            Trick(
                "folded first line", [400],
                "GET /healthz HTTP/1.1\r\n Host: x\r\nHost: x\r\n\r\n"),
            Trick("space before colon", [400], head("X : a")),
            Trick("tab before colon", [400], head("X\t: a")),
            Trick("empty name", [400], head(": a")),
            Trick("no colon", [400], head("Xa")),
            Trick("name with a quote", [400], head("X\"Y: a")),
            Trick("name in UTF-8", [400], head("Ä: a")),
            // Host.
            Trick("no Host", [400], "GET /healthz HTTP/1.1\r\n\r\n"),
            Trick("two Hosts", [400], head("Host: y")),
            Trick("two equal Hosts", [400], head("host: x")),
            Trick("Host with a path", [400], "GET /healthz HTTP/1.1\r\nHost: x/y\r\n\r\n"),
            Trick("Host with a user", [400], "GET /healthz HTTP/1.1\r\nHost: a@x\r\n\r\n"),
            Trick("Host with a space", [400], "GET /healthz HTTP/1.1\r\nHost: x y\r\n\r\n"),
            // Request line.
            Trick("HTTP/0.9", [400], "GET /healthz\r\n\r\n"),
            Trick("HTTP/2.0", [505], "GET /healthz HTTP/2.0\r\nHost: x\r\n\r\n"),
            Trick("HTTP/0.1", [400, 505], "GET /healthz HTTP/0.1\r\nHost: x\r\n\r\n"),
            Trick("http/1.1", [400], "GET /healthz http/1.1\r\nHost: x\r\n\r\n"),
            Trick("HTTP/1.10", [400], "GET /healthz HTTP/1.10\r\nHost: x\r\n\r\n"),
            Trick("HTTP/+1.1", [400], "GET /healthz HTTP/+1.1\r\nHost: x\r\n\r\n"),
            Trick("HTTP", [400], "GET /healthz HTTP\r\nHost: x\r\n\r\n"),
            Trick(
                "two spaces before the target", [400],
                "GET  /healthz HTTP/1.1\r\nHost: x\r\n\r\n"),
            Trick(
                "two spaces after the target", [400],
                "GET /healthz  HTTP/1.1\r\nHost: x\r\n\r\n"),
            Trick("space after the version", [400], "GET /healthz HTTP/1.1 \r\nHost: x\r\n\r\n"),
            Trick(
                "tab in the request line", [400],
                "GET\t/healthz HTTP/1.1\r\nHost: x\r\n\r\n"),
            Trick("space in the target", [400], "GET /health z HTTP/1.1\r\nHost: x\r\n\r\n"),
            Trick("NUL in the target", [400], "GET /healthz\0 HTTP/1.1\r\nHost: x\r\n\r\n"),
            Trick("no target", [400], "GET HTTP/1.1\r\nHost: x\r\n\r\n"),
            Trick("space before the method", [400], " GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"),
            Trick("tab before the method", [400], "\tGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"),
            Trick("a method that is no token", [400], "G@T /healthz HTTP/1.1\r\nHost: x\r\n\r\n"),
            Trick("no method", [400], " /healthz HTTP/1.1\r\nHost: x\r\n\r\n"),
            Trick(
                "a TLS hello", [400],
                "\u{16}\u{03}\u{01}\u{00}\u{A5}\u{01}\r\n\r\n"),
            Trick("noise", [400], "\u{01}\u{02}\u{03}\r\n\r\n"),
            // Expectations.
            Trick("an unknown Expect", [417], head("Expect: the-unexpected")),
            // Sizes.
            Trick("a 40 kB field", [431], head("X: " + String(repeating: "a", count: 40_000))),
            Trick("201 short fields", [431], head(String(repeating: "A:\r\n", count: 199) + "A:")),
            Trick(
                "a thousand fields", [431],
                head((0..<1000).map { "X\($0): a" }.joined(separator: "\r\n"))),
            Trick(
                "a 40 kB target", [414],
                "GET /" + String(repeating: "a", count: 40_000) + " HTTP/1.1\r\nHost: x\r\n\r\n"),
        ]

        /// Methods that are none here.
        static let methods = [
            "POST", "PUT", "DELETE", "PATCH", "TRACE", "CONNECT", "OPTIONS", "get", "Get", "HEADS",
            "GETT", "PROPFIND", "PRI", String(repeating: "M", count: 2000),
        ]
    }

    @Test func `each framing trick is refused, and what follows it is not answered`() throws {
        let site = try TestSite()
        let before = site.directory.contents()
        // As it is, and asking for what would cost a request upstream and an entry on disk.
        for target in ["/healthz", "/t/p/w342\(ServingTests.poster.path)"] {
            for trick in Trick.all {
                let client = RawClient(port: site.server.port)
                client.send(trick.request.replacing("/healthz", with: target) + Trick.second)
                let all = client.receiveAll()
                let text = String(decoding: all, as: UTF8.self)
                let answers = text.split(separator: "HTTP/1.1 ").count
                let status = Response(all)?.status ?? 0
                #expect(trick.statuses.contains(status), "\(trick.testDescription): \(status)")
                #expect(answers == (status == 0 ? 0 : 1), "\(trick.testDescription): \(text)")
                #expect(!text.contains("onesheet_http"), "\(trick.testDescription)")
            }
        }
        #expect(try site.get("/healthz").status == 200)
        #expect(site.origin.totalRequests == 0)
        #expect(site.directory.contents() == before)
    }

    @Test func `a refused head is counted by what was wrong with it`() throws {
        let site = try TestSite()
        for (reason, request) in [
            ("bad_request", " GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"),
            ("bad_request", "\t\r\n\r\n"),
            ("bad_request", "/healthz HTTP/1.1\r\nHost: x\r\n\r\n"),
            ("head_too_large", Trick.head("X: " + String(repeating: "a", count: 9000))),
            ("target_too_long", "GET /" + String(repeating: "a", count: 9000)),
            ("version_not_supported", "GET /healthz HTTP/3.0\r\nHost: x\r\n\r\n"),
            ("expectation_failed", Trick.head("Expect: more")),
            ("method_not_allowed", "POST /healthz HTTP/1.1\r\nHost: x\r\n\r\n"),
        ] {
            let series = "onesheet_http_rejects_total{reason=\"\(reason)\"}"
            let before = try ExpositionReader(try site.get("/metrics").text)[series] ?? 0
            _ = site.exchange(request)
            let after = try ExpositionReader(try site.get("/metrics").text)[series] ?? 0
            #expect(after == before + 1, "\(reason)")
        }
    }

    @Test func `other methods get 405 with Allow, their body unread, and the end`() throws {
        let site = try TestSite()
        let before = site.directory.contents()
        for method in Trick.methods {
            let client = RawClient(port: site.server.port)
            let target = "/t/p/w342\(ServingTests.poster.path)"
            client.send("\(method) \(target) HTTP/1.1\r\nHost: x\r\n\r\n" + Trick.second)
            let text = String(decoding: client.receiveAll(), as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 405 "), "\(method): \(text)")
            #expect(text.contains("\r\nAllow: GET, HEAD\r\n"))
            #expect(!text.contains("onesheet_http"))
        }
        #expect(site.origin.totalRequests == 0)
        #expect(site.directory.contents() == before)
    }

    @Test func `a body is refused before it is sent`() throws {
        let site = try TestSite()
        let client = RawClient(port: site.server.port)
        client.send("POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n")
        #expect(client.receiveResponse()?.status == 405)
        #expect(client.receive() == [])
    }

    @Test func `keep-alive and pipelining give every answer, in order and whole`() throws {
        let site = try TestSite()
        let client = RawClient(port: site.server.port)
        let three = ["GET /healthz", "HEAD /healthz", "GET /nowhere"]
            .map { "\($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined()
        for _ in 0..<100 {
            client.send(three)
            #expect(client.receiveResponse()?.text == "ok\n")
            #expect(client.receiveResponse(hasBody: false)?.header("Content-Length") == "3")
            #expect(client.receiveResponse()?.status == 404)
        }
    }

    @Test(
        "a connection lasts as its version and Connection field have it",
        arguments: [
            ("HTTP/1.1", "", true), ("HTTP/1.1", "Connection: close\r\n", false),
            ("HTTP/1.0", "", false), ("HTTP/1.0", "Connection: keep-alive\r\n", true),
            ("HTTP/1.9", "", true),
        ])
    func persistence(version: String, field: String, lasts: Bool) throws {
        let site = try TestSite()
        let client = RawClient(port: site.server.port)
        client.send("GET /healthz \(version)\r\nHost: x\r\n\(field)\r\n")
        #expect(client.receiveResponse()?.status == 200)
        client.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect((client.receiveResponse() != nil) == lasts)
    }

    @Test func `a client that ends its half early still gets its answer`() throws {
        let site = try TestSite()
        let client = RawClient(port: site.server.port)
        client.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        client.finishSending()
        #expect(client.receiveResponse()?.text == "ok\n")
    }

    @Test func `a head of any size is answered, up to a limit and beyond it`() throws {
        let site = try TestSite()
        var statuses: [Int] = []
        for size in stride(from: 4000, through: 10_000, by: 40) {
            let field = "X: " + String(repeating: "a", count: size)
            statuses.append(site.exchange(Trick.head("Connection: close\r\n\(field)"))?.status ?? 0)
        }
        #expect(statuses.first == 200)
        #expect(statuses.last == 431)
        #expect(statuses == statuses.sorted())
        #expect(Set(statuses) == [200, 431])
    }

    @Test func `large cookies do no harm`() throws {
        let site = try TestSite()
        let cookie = "Cookie: " + String(repeating: "name=value; ", count: 400)
        #expect(site.exchange(Trick.head("Connection: close\r\n\(cookie)"))?.status == 200)
    }

    @Test func `a head that comes byte by byte is read`() throws {
        let site = try TestSite()
        let client = RawClient(port: site.server.port)
        for byte in "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n".utf8 { client.send([byte]) }
        #expect(client.receiveResponse()?.text == "ok\n")
    }
}
