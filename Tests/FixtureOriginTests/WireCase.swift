import Testing

@testable import FixtureOrigin

/// A fault and what one client that asks for one poster then sees.
struct WireCase: CustomTestStringConvertible, Sendable {
    var fault: Fault
    var statusLine = "HTTP/1.1 200 OK"
    /// Header lines that must be there.
    var has: [String] = []
    /// Header names that must not.
    var lacks: [String] = []
    /// Everything after the head; nil for anything.
    var body: [UInt8]?
    var ending = RawClient.Ending.closed

    var testDescription: String { "\(fault)" }

    static let all = answers + ends + heads

    private static let poster = FaultTests.poster
    private static let whole = "Content-Length: 10000"
    private static func first(_ count: Int) -> [UInt8] { Array(poster.prefix(count)) }

    private static let answers = [
        WireCase(fault: .normal, has: [whole, "ETag: \"one\""], body: poster),
        WireCase(
            fault: .status(429, headers: [("Retry-After", "7"), ("Retry-After", "9")]),
            statusLine: "HTTP/1.1 429 Too Many Requests",
            has: ["Retry-After: 7", "Retry-After: 9"],
            lacks: ["ETag"]),
        WireCase(
            fault: .status(500, body: [1, 2]), statusLine: "HTTP/1.1 500 Internal Server Error",
            has: ["Content-Length: 2"], body: [1, 2]),
        WireCase(
            fault: .status(304), statusLine: "HTTP/1.1 304 Not Modified", lacks: ["Content-Length"],
            body: []),
        WireCase(
            fault: .status(204), statusLine: "HTTP/1.1 204 No Content", lacks: ["Content-Length"],
            body: []),
        WireCase(fault: .status(999), statusLine: "HTTP/1.1 999 Unnamed"),
        WireCase(
            fault: .redirect(308, to: "//evil/x\r\nX-Split: 1"),
            statusLine: "HTTP/1.1 308 Permanent Redirect",
            has: ["Location: //evil/x", "X-Split: 1", "Content-Length: 0"], body: []),
        WireCase(
            fault: .headers([("ETag", "W/\"two\"")]), has: ["ETag: W/\"two\""], body: poster),
        WireCase(
            fault: .contentType("text/html"), has: ["Content-Type: text/html"], body: poster),
        WireCase(fault: .contentType(nil), lacks: ["Content-Type"], body: poster),
        WireCase(fault: .html, has: ["Content-Type: image/jpeg"]),
        WireCase(
            fault: .empty, has: ["Content-Type: image/jpeg", "Content-Length: 0"], body: []),
        WireCase(
            fault: .partial, statusLine: "HTTP/1.1 206 Partial Content",
            has: ["Content-Range: bytes 0-4999/10000", "Content-Length: 5000"], body: first(5000)),
        WireCase(fault: .encoding("br"), has: ["Content-Encoding: br", whole], body: poster),
        WireCase(
            fault: .gzip, has: ["Content-Encoding: gzip"], body: Gzip.stored(poster)),
        WireCase(
            fault: .gzipBomb(bytes: 1 << 20), has: ["Content-Encoding: gzip"],
            body: Gzip.bomb(inflatedBytes: 1 << 20)),
        WireCase(fault: .delay(.milliseconds(1)), has: [whole], body: poster),
        WireCase(
            fault: .delay(.milliseconds(1), then: .status(502)),
            statusLine: "HTTP/1.1 502 Bad Gateway"),
    ]

    private static let ends = [
        WireCase(fault: .short(after: 100), has: [whole], body: first(100)),
        WireCase(fault: .short(after: 0), has: [whole], body: []),
        WireCase(
            fault: .cut(after: 100), has: ["Connection: close"], lacks: ["Content-Length"],
            body: first(100)),
        WireCase(
            fault: .http10(), statusLine: "HTTP/1.0 200 OK", lacks: ["Content-Length"],
            body: poster),
        WireCase(
            fault: .http10(withLength: true), statusLine: "HTTP/1.0 200 OK", has: [whole],
            body: poster),
        WireCase(
            fault: .chunked, has: ["Transfer-Encoding: chunked"], lacks: ["Content-Length"],
            body: chunked([first(4096), Array(poster[4096..<8192]), Array(poster[8192...])])
                + lastChunk),
        WireCase(
            fault: .brokenChunks(.inData, after: 100), has: ["Transfer-Encoding: chunked"],
            body: Array("44c\r\n".utf8) + first(100)),
        WireCase(
            fault: .brokenChunks(.afterChunk, after: 100), body: chunked([first(100)])),
        WireCase(
            fault: .brokenChunks(.beforeLastCRLF, after: 0),
            body: chunks(poster) + Array("0\r\n".utf8)),
        WireCase(
            fault: .brokenChunks(.badSize, after: 100),
            body: chunked([first(100)]) + Array("xyz\r\n".utf8) + first(16) + [13, 10]),
        WireCase(fault: .reset(after: 100), has: [whole], body: first(100), ending: .reset),
        WireCase(
            fault: .reset(after: 100, withLength: false), lacks: ["Content-Length"],
            body: first(100), ending: .reset),
        WireCase(fault: .drip(bytes: 900, every: .milliseconds(1)), has: [whole], body: poster),
        WireCase(
            fault: .oversized(length: 300_000), has: ["Content-Length: 300000"],
            body: poster + [UInt8](repeating: 0, count: 290_000)),
        WireCase(fault: .excess(5), has: [whole], body: poster + Array("xxxxx".utf8)),
        WireCase(
            fault: .contentLength(["10000", "10005"]), has: [whole, "Content-Length: 10005"],
            body: poster),
        WireCase(fault: .contentLength(["-1"]), has: ["Content-Length: -1"], body: poster),
        WireCase(fault: .contentLength(["ten"]), has: ["Content-Length: ten"], body: poster),
        WireCase(
            fault: .lengthAndChunks, has: [whole, "Transfer-Encoding: chunked"],
            body: chunks(poster) + lastChunk),
    ]

    private static let heads = [
        WireCase(fault: .headerBomb(.nul), has: [whole, "X-Nul: a\u{0}b"], body: poster),
        WireCase(fault: .headerBomb(.noColon), has: ["this line has no colon"], body: poster),
        WireCase(fault: .headerBomb(.folded), has: ["X-Folded: one", " two"], body: poster),
        WireCase(
            fault: .informational(100, count: 1), statusLine: "HTTP/1.1 100 Continue",
            lacks: ["Content-Length"]),
    ]

    private static func chunked(_ pieces: [[UInt8]]) -> [UInt8] {
        pieces.flatMap { Array("\(String($0.count, radix: 16))\r\n".utf8) + $0 + [13, 10] }
    }
}
