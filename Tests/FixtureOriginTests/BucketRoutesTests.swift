import Glibc
import Testing

@testable import FixtureOrigin

@Suite struct BucketRoutesTests {
    private let bucket = BucketRoutes(name: "films", content: ContentStore(folder: nil))
    private static let amazonNow = amazonDate(HTTPDate.now.secondsSince1970)

    /// As in `x-amz-date`.
    private static func amazonDate(_ seconds: Int) -> String {
        var (seconds, parts) = (seconds, tm())
        gmtime_r(&seconds, &parts)
        var buffer = [CChar](repeating: 0, count: 32)
        let count = strftime(&buffer, buffer.count, "%Y%m%dT%H%M%SZ", &parts)
        return String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private func answer(
        _ method: String, _ target: String, key: String = BucketRoutes.accessKey,
        region: String = "us-east-1", signed: String = "host;x-amz-content-sha256;x-amz-date",
        date: String = Self.amazonNow, code: String = String(repeating: "a", count: 64),
        lines: [String] = [], body: [UInt8] = []
    ) throws -> Answer? {
        let signature =
            "AWS4-HMAC-SHA256 Credential=\(key)/20261130/\(region)/s3/aws4_request, "
            + "SignedHeaders=\(signed), Signature=\(code)"
        let head =
            ["\(method) \(target) HTTP/1.1", "Host: x", "Authorization: \(signature)"]
            + ["x-amz-content-sha256: UNSIGNED-PAYLOAD", "x-amz-date: \(date)"] + lines
        var request = try #require(Request(head: Array(head.joined(separator: "\r\n").utf8)))
        request.body = body
        return bucket.answer(to: request)
    }

    private func code(_ answer: Answer?) -> String {
        let text = String(decoding: answer?.body ?? [], as: UTF8.self)
        return String(text.split(separator: "<Code>").last?.prefix { $0 != "<" } ?? "")
    }

    @Test func `an object is put, had with its metadata, and deleted`() throws {
        let meta = "x-amz-meta-a: b"
        let signed = "host;x-amz-content-sha256;x-amz-date;x-amz-meta-a"
        let put = try answer("PUT", "/films/k", signed: signed, lines: [meta], body: [1, 2])
        #expect(put?.status == 200)
        let got = try answer("GET", "/films/k")
        #expect(got?.body == [1, 2] && got?.headers.first(named: "x-amz-meta-a") == "b")
        #expect(try answer("DELETE", "/films/k")?.status == 204)
        #expect(code(try answer("GET", "/films/k")) == "NoSuchKey")
        #expect(try answer("GET", "/other/k") == nil)
        #expect(try answer("GET", "/filmsk") == nil)
    }

    @Test func `what is not signed as it should be is refused by its code`() throws {
        #expect(code(try answer("GET", "/films/k", key: "stranger")) == "InvalidAccessKeyId")
        #expect(code(try answer("GET", "/films/k", region: "x")) == "SignatureDoesNotMatch")
        #expect(code(try answer("GET", "/films/k", signed: "host")) == "SignatureDoesNotMatch")
        #expect(
            code(try answer("PUT", "/films/k", lines: ["x-amz-meta-a: b"]))
                == "SignatureDoesNotMatch")
        for bad in ["", "a", String(repeating: "A", count: 64)] {
            #expect(code(try answer("GET", "/films/k", code: bad)) == "AccessDenied")
        }
        for seconds in [-1000, 1000] {
            let date = Self.amazonDate(HTTPDate.now.secondsSince1970 + seconds)
            #expect(code(try answer("GET", "/films/k", date: date)) == "RequestTimeTooSkewed")
        }
    }
}
