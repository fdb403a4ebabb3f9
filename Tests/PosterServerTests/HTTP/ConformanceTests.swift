import Testing

@testable import FixtureOrigin
@testable import PosterFetch
@testable import PosterHTTP
@testable import PosterServer

/// What a server of HTTP/1.1 must take, must refuse and must wait for (RFC 9112): the cases of
/// h1spec that apply to a server without request bodies, and their neighbours.
@Suite struct ConformanceTests {
    private static let whole = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"

    @Test func `no beginning of a request is answered, and its end makes it whole`() throws {
        let site = try TestSite()
        for length in 1..<Self.whole.utf8.count {
            let beginning = Array(Self.whole.utf8.prefix(length))
            let ended = RawClient(port: site.server.port)
            ended.send(beginning)
            ended.finishSending()
            #expect(ended.receiveAll() == [], "after \(length) bytes")
            let waiting = RawClient(port: site.server.port)
            waiting.send(beginning)
            #expect(!waiting.hasInput, "after \(length) bytes")
            waiting.send(Array(Self.whole.utf8.dropFirst(length)))
            #expect(waiting.receiveResponse()?.text == "ok\n", "after \(length) bytes")
        }
    }

    @Test(
        "a request that is in order is answered",
        arguments: [
            whole,
            "GET /healthz HTTP/1.1\r\nhoSt:\texample.com\r\nempty:\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHost: example.com\r\nX-Empty-Header: \r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHost:localhost\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHost: \t localhost \t \r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHost:\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHost: x\r\n!#$%&'*+-.^_`|~1a: b\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHost: x\r\nX: caf\u{E9}: \"a\" \t b\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
            "GET http://example.com/healthz HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHost: x\r\n" + String(repeating: "A:\r\n", count: 199)
                + "\r\n",
            // A server should skip an empty line before a request line (section 2.2).
            "\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET /healthz HTTP/1.0\r\n\r\n",
            // It has no body to wait with (RFC 9110, section 10.1.1).
            "GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHost: x\r\nexpect: 100-Continue\r\nContent-Length: 0\r\n\r\n",
        ])
    func valid(request: String) throws {
        let site = try TestSite()
        let client = RawClient(port: site.server.port)
        client.send(request)
        #expect(client.receiveResponse()?.text == "ok\n")
    }

    @Test(
        "a request that is not in order is refused, and the connection ends",
        arguments: [
            "GET /healthz \r\n\r\n",
            "GET /healthz HTTP/9.9\r\nHost: example.com\r\n\r\n",
            "GET /healthz HTTP/1\r\nHost: example.com\r\n\r\n",
            "GET /healthz HTTP/1.1.1\r\nHost: example.com\r\n\r\n",
            "GET /healthz HTTP/1,1\r\nHost: example.com\r\n\r\n",
            "Extra lineGET /healthz HTTP/1.1\r\nHost: example.com\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHost: example.com\r\nX-Invalid[]: test\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHost: example.com\r\nX-Bad: test\u{7}\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHost: example.com\r\n\rSome-Header: Test\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nContent-Length: 5\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHost: example.com\r\nHost: example.org\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHost: x\r\n"
                + "Content-Length: -123456789123456789123456789\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: -1234\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHost: x\r\n"
                + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n",
            // No body is taken, whatever the method.
            "POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello",
        ])
    func invalid(request: String) throws {
        let site = try TestSite()
        let client = RawClient(port: site.server.port)
        client.send(request)
        let answer = client.receiveAll()
        let status = try #require(Response(answer)).status
        #expect((400...599).contains(status))
        #expect(String(decoding: answer, as: UTF8.self).split(separator: "HTTP/1.1 ").count == 1)
    }
}
