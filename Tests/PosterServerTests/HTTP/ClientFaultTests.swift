import Glibc
import Testing

@testable import FixtureOrigin
@testable import PosterHTTP
@testable import PosterServer

/// Clients that come in crowds, leave when they like, or talk of other hosts.
@Suite struct ClientFaultTests {
    private static let target = "/t/p/w342\(ServingTests.poster.path)"
    private static let healthz = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"

    /// Connections that the server holds, the one that asks left out.
    private func held(by site: TestSite) throws -> Int {
        let page = try ExpositionReader(try site.get("/metrics").text)
        let phases = ConnectionPhase.allCases
        return phases.reduce(-1) {
            $0 + Int(page["onesheet_http_connections{phase=\"\($1)\"}"] ?? 0)
        }
    }

    private func expectNoneHeld(by site: TestSite) throws {
        // The server notices an end some time after it.
        var left = Int.max
        for _ in 0..<10_000 where left != 0 { left = try held(by: site) }
        #expect(left == 0)
    }

    @Test(
        "connections beyond the limit wait, and are served as soon as others end",
        arguments: [1, 3])
    func connectionLimit(threads: Int) throws {
        let site = try TestSite({
            $0.connectionLimit = 64
            $0.threads = threads
        })
        let clients = (0..<320).map { _ in RawClient(port: site.server.port) }
        for client in clients { client.send(Self.healthz) }
        var served = 0
        for _ in 0..<10_000 where served < 64 {
            served = clients.count { $0.hasInput }
        }
        #expect(served == 64)
        // Whoever has an answer leaves; all the rest come to their turn.
        var waiting = clients
        for _ in 0..<10_000 where !waiting.isEmpty {
            waiting.removeAll { client in
                guard client.hasInput else { return false }
                #expect(client.receiveResponse()?.text == "ok\n")
                client.finishSending()
                return true
            }
        }
        #expect(waiting.isEmpty)
        try expectNoneHeld(by: site)
    }

    @Test func `ten thousand requests on one connection are answered, each whole`() throws {
        let site = try TestSite()
        let client = RawClient(port: site.server.port)
        client.send(Self.healthz)
        // Of the same length each: all that differs is the time in `Date`.
        let first = try #require(client.receiveResponse())
        let head = first.lines.joined(separator: "\r\n") + "\r\n\r\n"
        let length = head.utf8.count + first.body.count
        let ending = Array("\r\n\r\nok\n".utf8)
        for _ in 0..<100 {
            client.send(String(repeating: Self.healthz, count: 100))
            var answers: [UInt8] = []
            while answers.count < 100 * length, let some = client.receive(), !some.isEmpty {
                answers += some
            }
            try #require(answers.count == 100 * length)
            for start in stride(from: 0, to: answers.count, by: length) {
                let answer = answers[start..<start + length]
                #expect(answer.starts(with: "HTTP/1.1 200 OK\r\n".utf8))
                #expect(answer.suffix(ending.count).elementsEqual(ending))
            }
        }
    }

    @Test func `a hundred requests in one packet are answered in order, and that twenty times`()
        throws
    {
        let site = try TestSite()
        let poster = try site.get(Self.target)
        let client = RawClient(port: site.server.port)
        let hundred = (0..<100).map { number in
            let method = number % 10 == 3 ? "HEAD" : "GET"
            let target = number % 10 == 7 ? Self.target : "/healthz"
            let range = number % 10 == 7 ? "Range: bytes=\(number)-\(number * 2)\r\n" : ""
            return "\(method) \(target) HTTP/1.1\r\nHost: x\r\n\(range)\r\n"
        }.joined()
        for _ in 0..<20 {
            client.send(hundred)
            for number in 0..<100 {
                let answer = client.receiveResponse(hasBody: number % 10 != 3)
                switch number % 10 {
                case 3: #expect(answer?.header("Content-Length") == "3")
                case 7: #expect(answer?.body == Array(poster.body[number...(number * 2)]))
                default: #expect(answer?.text == "ok\n")
                }
            }
        }
    }

    @Test("clients that leave at any moment take nothing along", arguments: [1, 3])
    func departures(threads: Int) throws {
        let site = try TestSite({ $0.threads = threads })
        let poster = try site.get(Self.target).body
        let request = "GET \(Self.target) HTTP/1.1\r\nHost: x\r\n\r\n"
        for round in 0..<1000 {
            let client = RawClient(port: site.server.port, receiveBuffer: 4096)
            switch round % 5 {
            case 0: break
            case 1: client.send(String(request.prefix(round % 40)))
            case 2: client.send(request)
            case 3:
                client.send(request)
                #expect(client.receive(upTo: 100)?.isEmpty == false)
            default: client.send(String(repeating: request, count: 20))
            }
            if round % 2 == 0 { client.reset() }
        }
        try expectNoneHeld(by: site)
        #expect(try site.get(Self.target).body == poster)
        #expect(site.origin.requests(to: Self.target) == 1)
    }

    @Test func `of clients that leave before their answer comes, nothing is kept`() throws {
        let site = try TestSite({ $0.deadline = .seconds(60) })
        site.origin.hold(at: Self.target)
        var clients = (0..<50).map { number in
            let client = RawClient(port: site.server.port)
            client.send("GET \(Self.target) HTTP/1.1\r\nHost: x\r\n\r\n")
            if number % 2 == 0 { client.reset() }
            return client
        }
        func working() -> Int { site.server.http.connectionCounts[.working] ?? 0 }
        #expect(eventually { working() == clients.count })
        clients = []
        site.origin.release(at: Self.target)
        #expect(eventually { working() == 0 })
    }

    @Test func `a URL for a target leads here, whatever host it names`() throws {
        let site = try TestSite()
        let elsewhere = try Origin(fixtures: TestSite.fixtures)
        defer { elsewhere.stop() }
        let other = String(elsewhere.imageBase.dropLast(4))
        for authority in [other, "http://evil.example", "HTTPS://[::1]:1"] {
            let response = try site.get("\(authority)\(Self.target)")
            #expect(response.body == ServingTests.poster.bytes)
        }
        #expect(elsewhere.totalRequests == 0)
        #expect(site.origin.requests(to: Self.target) == 1)
    }

    @Test func `nothing of upstream's head comes through with a poster`() throws {
        let site = try TestSite()
        site.origin.misbehave(
            at: Self.target,
            .headers([
                ("Content-Type", "text/html\u{A0}X: y"), ("Set-Cookie", "a=b"), ("X-Odd", "1"),
                ("ETag", "\"a\"\u{85}X-Split: 1"), ("Last-Modified", "now"), ("Link", "</>"),
                ("Content-Security-Policy", "script-src *"), ("Access-Control-Allow-Origin", "*"),
            ]))
        for _ in 0..<2 {
            let response = try site.get(Self.target)
            #expect(response.body == ServingTests.poster.bytes)
            #expect(response.header("Content-Type") == "image/jpeg")
            let names = Set(response.lines.dropFirst().map { $0.prefix { $0 != ":" } })
            #expect(
                names.isSubset(of: [
                    "Date", "Connection", "Content-Length", "Content-Type", "Cache-Control",
                    "Cache-Status", "ETag", "Last-Modified", "Accept-Ranges",
                    "X-Content-Type-Options", "Content-Security-Policy", "Onesheet-Tint",
                ]), "\(names)")
            #expect(response.header("ETag")?.contains("Split") == false)
        }
    }

    @Test func `a picture that is a page as well stays a picture`() throws {
        let site = try TestSite()
        let page = "<html><script>alert(document.domain)</script></html><!--"
        let comment: [UInt8] = [0xFF, 0xFE, 0, UInt8(page.utf8.count + 2)] + Array(page.utf8)
        let polyglot = [0xFF, 0xD8] + comment + ServingTests.poster.bytes.dropFirst(2)
        site.origin.misbehave(
            at: Self.target, .status(200, headers: [("Content-Type", "text/html")], body: polyglot))
        let response = try site.get(Self.target)
        #expect(response.body == polyglot)
        #expect(response.header("Content-Type") == "image/jpeg")
        #expect(response.header("X-Content-Type-Options") == "nosniff")
        #expect(response.header("Content-Security-Policy") == "default-src 'none'; sandbox")
        let thumbnail = try site.get("\(Self.target)?w=60&h=90")
        #expect(thumbnail.status == 200)
        #expect(thumbnail.body.firstRange(of: Array("<script>".utf8)) == nil)
    }
}
