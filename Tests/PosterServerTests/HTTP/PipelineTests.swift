import Testing

@testable import FixtureOrigin
@testable import PosterFetch
@testable import PosterHTTP
@testable import PosterServer

/// Requests at random on one connection, cut into packets at random, beside a client that asks for
/// each alone: the same answers, in order, up to the first that ends the connection.
@Suite struct PipelineTests {
    private struct Ask {
        var request: String
        var isHead = false
        var ends = false
    }

    private static let file = ServingTests.poster.path

    private static func ask(using random: inout SplitMix) -> Ask {
        let targets = [
            "/healthz", "/t/p/w342\(file)", "/t/p/w342/null", "/nowhere", "/t/p/w1/a.jpg",
            "/thumb/60x90\(file)", "/placeholder/60x90?title=x", "/assets/page.css",
            "/t/p/w500/nosuch.jpg",
        ]
        let lines = [
            "", "", "X: y\r\n", "Range: bytes=5-90\r\n", "If-None-Match: *\r\n",
            "Accept: image/webp\r\n", "Connection: keep-alive\r\n", "Content-Length: 0\r\n",
        ]
        let target = targets[Int.random(in: targets.indices, using: &random)]
        let line = lines[Int.random(in: lines.indices, using: &random)]
        let isHead = Int.random(in: 0..<4, using: &random) == 0
        func request(_ method: String, _ version: String = "HTTP/1.1", _ more: String = "")
            -> String
        {
            "\(method) \(target) \(version)\r\nHost: x\r\n\(line)\(more)\r\n"
        }
        let method = isHead ? "HEAD" : "GET"
        switch Int.random(in: 0..<40, using: &random) {
        case 0: return Ask(request: request("POST"), ends: true)
        case 1: return Ask(request: request("G@T"), ends: true)
        case 2: return Ask(request: request(method, "HTTP/2.0"), isHead: isHead, ends: true)
        case 3:
            return Ask(
                request: request(method, "HTTP/1.0"), isHead: isHead,
                ends: !line.contains("keep-alive"))
        case 4:
            return Ask(
                request: request(method, "HTTP/1.1", "Connection: close\r\n"), isHead: isHead,
                ends: true)
        case 5:
            return Ask(
                request: request(method, "HTTP/1.1", "Transfer-Encoding: chunked\r\n")
                    + "0\r\n\r\n",
                isHead: isHead, ends: true)
        default: return Ask(request: request(method), isHead: isHead)
        }
    }

    /// What must be the same however a request came.
    private func essence(_ response: Response?) -> String {
        guard let response else { return "none" }
        let names = ["Content-Type", "Content-Length", "Content-Range", "ETag", "Allow", "Vary"]
        let shown = names.map { response.header($0) ?? "-" }.joined(separator: " ")
        return "\(response.lines[0]) \(shown) \(response.body.hashValue)"
    }

    @Test("a sequence has the answers that its requests have alone", arguments: 0..<12)
    func sequence(seed: UInt64) throws {
        let site = try TestSite()
        // What is made on a first request is there before the comparison.
        for target in ["/t/p/w342\(Self.file)", "/thumb/60x90\(Self.file)", "/t/p/w500/nosuch.jpg"]
        {
            _ = try site.get(target)
        }
        var random = SplitMix(seed: seed)
        var asks = (0..<60).map { _ in Self.ask(using: &random) }
        if let end = asks.firstIndex(where: \.ends) { asks = Array(asks[...end]) }
        let alone = asks.map { ask in
            let client = RawClient(port: site.server.port)
            client.send(ask.request)
            return essence(client.receiveResponse(hasBody: !ask.isHead))
        }
        let followed = asks.last?.ends == true ? "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n" : ""
        var bytes = Array(asks.map(\.request).joined().utf8) + Array(followed.utf8)
        let client = RawClient(port: site.server.port)
        while !bytes.isEmpty {
            let count = min(bytes.count, Int.random(in: 1...400, using: &random))
            client.send(Array(bytes.prefix(count)))
            bytes.removeFirst(count)
        }
        client.finishSending()
        for (index, ask) in asks.enumerated() {
            let answer = essence(client.receiveResponse(hasBody: !ask.isHead))
            #expect(answer == alone[index], "\(index): \(ask.request)")
        }
        #expect(client.receiveAll() == [])
    }
}
