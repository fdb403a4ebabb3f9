/// Request heads made at random: most of them in order but for one thing.
enum GeneratedHead {
    static func bytes(using random: inout SplitMix) -> [UInt8] {
        var lines = [requestLine(using: &random)]
        if Int.random(in: 0..<12, using: &random) > 0 { lines.append("Host: x") }
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            lines.append(pick(fields, using: &random))
        }
        if Int.random(in: 0..<3, using: &random) == 0 { lines.shuffle(using: &random) }
        var text = Int.random(in: 0..<10, using: &random) == 0 ? "\r\n" : ""
        for line in lines + [""] {
            text +=
                line
                + (Int.random(in: 0..<60, using: &random) == 0
                    ? pick(["\n", "\r", "\r\r\n", "\0\n", "\n\r", " \r\n"], using: &random)
                    : "\r\n")
        }
        var bytes = Array(text.utf8) + Array(pick(tails, using: &random).utf8)
        switch Int.random(in: 0..<8, using: &random) {
        case 0: bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
        case 1:
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
                in: 0...255, using: &random)
        case 2:
            bytes.insert(
                pick([0, 9, 10, 13, 32, 58, 127, 200], using: &random),
                at: Int.random(in: 0...bytes.count, using: &random))
        default: break
        }
        return bytes
    }

    private static func pick<Element>(_ all: [Element], using random: inout SplitMix) -> Element {
        all[Int.random(in: all.indices, using: &random)]
    }

    private static func requestLine(using random: inout SplitMix) -> String {
        guard Int.random(in: 0..<4, using: &random) == 0 else { return "GET /a HTTP/1.1" }
        let method = pick(
            ["GET", "HEAD", "POST", "get", "G@T", "", " GET", "\tGET", "M-SEARCH"], using: &random)
        let target = pick(
            [
                "/", "/a?b=c", "*", "http://x/", "", "/a b", "/\u{7F}", "/\u{1}", "/ä",
                "/" + String(repeating: "a", count: 380), "/" + String(repeating: "b", count: 500),
            ],
            using: &random)
        let version = pick(
            [
                "HTTP/1.1", "HTTP/1.0", "HTTP/1.9", "HTTP/2.0", "HTTP/0.9", "http/1.1", "HTTP/1.10",
                "HTTP/1.", "", "HTTP/1.1 ", "HTTP/x.1", "HTTP/1,1",
            ], using: &random)
        return "\(method) \(target) \(version)"
    }

    private static let tails = ["", "", "", "GET /b HTTP/1.1\r\nHost: y\r\n\r\n", "x", "\r\n"]

    private static let fields = [
        "host: y", "Accept: image/webp", "accept: */*;q=0.1", "ACCEPT-LANGUAGE: de", "X: y",
        "If-None-Match: \"a\"", "If-None-Match: \"b\"", "Range: bytes=0-1", "range: bytes=2-3",
        "Content-Length: 0", "content-length: 00", "Content-Length: 5", "Content-Length: +1",
        "Content-Length: ", "Transfer-Encoding: chunked", "transfer-encoding: gzip",
        "Connection: close", "Connection: Keep-Alive", "connection: keep-alive, close",
        "Cookie: a=b", "Expect: 100-continue", "X-Forwarded-For: 1.2.3.4", "X-Forwarded-Host: a.b",
        "x-forwarded-PROTO: https",
        "Priority: u=7",
        "Authorization: Bearer a",
        "If-Modified-Since: x", "If-Unmodified-Since: x", "If-Range: \"a\"", "If-Match: *",
        "Empty:", "Tab:\t a \t", "No colon", ": no name", "Space : a", "\u{1}: a", "A: \u{1}",
        "Ä: a", "A: ä", " folded: a", "\tfolded", "Host:", "Host: x/y",
        "Long: " + String(repeating: "l", count: 200),
        "Long: " + String(repeating: "l", count: 250),
        "Long: " + String(repeating: "l", count: 390), "hosts: a", "hos: a", "X-Forwarded-Fos: a",
    ]
}
