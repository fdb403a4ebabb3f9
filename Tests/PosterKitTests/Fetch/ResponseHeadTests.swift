import Testing

@testable import PosterFetch
@testable import PosterKit

@Suite struct ResponseHeadTests {
    /// Feeds lines, each with its CRLF, as libcurl does.
    private func head(_ lines: [String], limits: TransferLimits = .init()) throws -> ResponseHead {
        var head = ResponseHead(limits: limits)
        for line in lines {
            try Array("\(line)\r\n".utf8).withUnsafeBytes { try head.take($0) }
        }
        return head
    }

    @Test func `a plain head is read`() throws {
        let head = try head(["HTTP/1.1 200 OK", "ETag:  \"a\" ", "CONTENT-LENGTH: 12", ""])
        #expect(head.isComplete)
        #expect(head.status == 200)
        #expect(head.values(of: "etag") == ["\"a\""])
        #expect(head.contentLength == 12)
    }

    @Test func `interim answers leave no fields behind`() throws {
        let head = try head([
            "HTTP/1.1 103 Early Hints", "Link: x", "Content-Length: 5", "", "HTTP/1.1 200", "A: b",
            "",
        ])
        #expect(head.status == 200)
        #expect(head.fields.map(\.name) == ["a"])
        #expect(head.contentLength == nil)
    }

    @Test func `trailers change nothing`() throws {
        let head = try head([
            "HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "", "Content-Encoding: gzip", "",
        ])
        #expect(head.foreignCoding == nil)
    }

    @Test(
        "a head that breaks the framing is refused",
        arguments: [
            ["HTTP/1.1 2000 OK"], ["HTTP/1.1"], ["HTTP/1.1 2xx"], ["HTTP/1.1 099 Low"],
            ["HTTP/1.1 200 OK", "No colon"], ["HTTP/1.1 200 OK", ": no name"],
            ["HTTP/1.1 200 OK", "Content-Length : 5"], ["HTTP/1.1 200 OK", "A: b", " folded"],
            ["HTTP/1.1 200 OK", "A: b\u{1}"], ["HTTP/1.1 200 OK", "Content-Length: 1, 2", ""],
            ["HTTP/1.1 200 OK", "Content-Length: 1", "Content-Length: 2", ""],
            ["HTTP/1.1 200 OK", "Content-Length:", ""],
            ["HTTP/1.1 200 OK", "Content-Length: 0x5", ""],
            ["HTTP/1.1 200 OK", "Content-Length: 1.0", ""],
            ["HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "Content-Length: 5", ""],
            ["HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "Transfer-Encoding: chunked", ""],
            ["HTTP/1.1 200 OK", "Transfer-Encoding: identity", ""],
            ["HTTP/1.0 200 OK", "Transfer-Encoding: chunked", ""],
        ])
    func refused(lines: [String]) {
        let error = #expect(throws: FetchError.self) { try head(lines) }
        #expect(error?.reason == .framing)
    }

    @Test func `lines and bytes are counted over all blocks`() throws {
        var limits = TransferLimits()
        (limits.headLines, limits.headBytes) = (4, 100)
        let block = ["HTTP/1.1 100 Go", ""]
        #expect(throws: Never.self) { try head(block + block, limits: limits) }
        #expect(throws: FetchError.self) { try head(block + block + block, limits: limits) }
        let long = "A: " + String(repeating: "b", count: 96)
        #expect(throws: FetchError.self) { try head(["HTTP/1.1 200 OK", long], limits: limits) }
    }

    @Test(
        "only identity is no content coding",
        arguments: [
            ("identity", false), ("Identity, identity", false), ("", false), ("gzip", true),
            ("identity, br", true), ("x-unknown", true),
        ])
    func codings(value: String, isForeign: Bool) throws {
        let head = try head(["HTTP/1.1 200 OK", "Content-Encoding: \(value)", ""])
        #expect((head.foreignCoding != nil) == isForeign)
    }
}
