import Testing

@testable import FixtureOrigin
@testable import PosterHTTP
@testable import PosterServer

/// Requests that come again and again, each a little different: none gets another's answer.
@Suite struct RepeatedRequestTests {
    private static let target = "/thumb/60x90\(ServingTests.poster.path)"

    private static func head(_ target: String, _ lines: String = "", method: String = "GET")
        -> String
    {
        "\(method) \(target) HTTP/1.1\r\nHost: x\r\n\(lines)\r\n"
    }

    @Test func `requests that differ in one byte have their own answers, however often they come`()
        throws
    {
        let site = try TestSite()
        let whole = try site.get(Self.target)
        let tag = try #require(whole.header("ETag"))
        let png = try site.get("\(Self.target)?format=png").body
        let client = RawClient(port: site.server.port)
        for _ in 0..<20 {
            func answer(_ head: String, hasBody: Bool = true) -> Response? {
                client.send(head)
                return client.receiveResponse(hasBody: hasBody)
            }
            #expect(answer(Self.head(Self.target))?.body == whole.body)
            let head = answer(Self.head(Self.target, method: "HEAD"), hasBody: false)
            #expect(head?.header("Content-Length") == String(whole.body.count))
            #expect(answer(Self.head(Self.target, "Range: bytes=0-3\r\n"))?.body.count == 4)
            #expect(answer(Self.head(Self.target, "Range: bytes=0-4\r\n"))?.body.count == 5)
            #expect(answer(Self.head(Self.target, "Range: bytes=999999-\r\n"))?.status == 416)
            let unchanged = answer(Self.head(Self.target, "If-None-Match: \(tag)\r\n"))
            #expect(unchanged?.status == 304)
            #expect(answer(Self.head(Self.target, "If-Match: \"\(tag)\r\n"))?.status == 412)
            #expect(answer(Self.head("\(Self.target)?format=png"))?.body == png)
            #expect(answer(Self.head("\(Self.target)?q=82"))?.body == whole.body)
            #expect(answer(Self.head("/t/p/w342/null?h=30"))?.status == 200)
            let asked = try #require(answer(Self.head("/t/p/w342\(ServingTests.poster.path)?w=30")))
            let other = try #require(answer(Self.head("/t/p/w342\(ServingTests.poster.path)?h=30")))
            #expect(asked.body != other.body)
        }
    }

    @Test func `each client has the format that it prefers, whatever the one before had`() throws {
        let site = try TestSite()
        let auto = "\(Self.target)?format=auto"
        _ = try site.get(auto, "Accept: image/webp")
        _ = try site.get(auto)
        let client = RawClient(port: site.server.port)
        for round in 0..<40 {
            let lines = "X: \(round)\r\n" + (round % 2 == 0 ? "Accept: image/webp\r\n" : "")
            client.send(Self.head(auto, lines))
            let response = try #require(client.receiveResponse())
            #expect(
                response.header("Content-Type") == (round % 2 == 0 ? "image/webp" : "image/jpeg"))
            #expect(response.header("Vary") == "Accept")
        }
    }

    /// What looks like a head in order to a parser that splits lines with zero bytes.
    static let lookalikes: [String] = {
        let target = Self.target
        return [
            "GET\0\(target) HTTP/1.1\r\nHost: x\r\nX: y\r\n\r\n",
            "GET \(target)\0HTTP/1.1\r\nHost: x\r\nX: y\r\n\r\n",
            "GET\0\(target)\0HTTP/1.1\r\nHost: x\r\nX: y\r\n\r\n",
            "GET \(target) HTTP/1.1\0\0Host: x\r\nX: y\r\n\r\n",
            "GET \(target) HTTP/1.1\r\nHost\0 x\r\nX: y\r\n\r\n",
            "GET \(target) HTTP/1.1\r\nHost: x\0\0X: y\r\n\r\n",
            "GET \(target) HTTP/1.1\r\nHost: x\0\0X\0 y\r\n\r\n",
            "GET \(target) HTTP/1.1\r\nHost: x\r\nX\0 y\r\n\r\n",
        ]
    }()

    @Test("zero bytes do not make a head another", arguments: lookalikes)
    func lookalike(request: String) throws {
        let site = try TestSite()
        _ = try site.get(Self.target)
        let client = RawClient(port: site.server.port)
        let inOrder = Self.head(Self.target, "X: y\r\n")
        for _ in 0..<3 {
            client.send(inOrder)
            #expect(client.receiveResponse()?.status == 200)
        }
        client.send(request)
        client.finishSending()
        #expect(Response(client.receiveAll())?.status == 400)
    }
}
