import PosterBase
import PosterKit
import Testing
import TestSupport

@testable import PosterServer

/// Requests with the most extreme numbers there are, to a whole server in this process: each has an
/// answer, and none ends it.
@Suite struct ExtremeRequestsTests {
    private let site: TestSite

    init() throws { site = try TestSite() }

    /// What a client can send in a target or a field.
    private static let texts = Extremes.texts.filter { text in
        text.utf8.count < 500 && text.utf8.allSatisfy { 0x20...0x7E ~= $0 }
    }

    /// Sends requests over connections that are kept, and returns how many had an answer.
    private func answers(to requests: [String]) -> Int {
        requests.count { site.exchange($0) != nil }
    }

    private func request(_ target: String, _ lines: String...) -> String {
        let escaped = target.replacing(" ", with: "%20")
        return "GET \(escaped) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
            + lines.map { $0 + "\r\n" }.joined() + "\r\n"
    }

    @Test func `targets`() {
        let requests = Self.texts.flatMap { text in
            [
                request("/thumb/\(text)x\(text)/null?dpr=\(text)&q=\(text)"),
                request("/t/p/w342/null?w=\(text)&h=\(text)&dpr=\(text)"),
                request("/placeholder/\(text)x1?dpr=\(text)&title=\(text)"),
                request("/t/p/\(text)/null"), request("/film/\(text)"),
                request("/3/movie/\(text)?page=\(text)"),
            ]
        }
        #expect(answers(to: requests) == requests.count)
    }

    @Test func `fields`() {
        let requests = Self.texts.flatMap { text in
            [
                request("/placeholder/20x30", "Range: bytes=\(text)-\(text)", "If-Range: \(text)"),
                request(
                    "/placeholder/20x30?format=auto", "Accept: image/webp;q=\(text), */*;q=\(text)"),
                request("/?part=list", "Accept-Language: de;q=\(text), fr;q=\(text)"),
                request(
                    "/t/p/w342/null", "If-Modified-Since: Sun, 06 Nov \(text) 08:49:37 GMT",
                    "If-Unmodified-Since: Sun, \(text) Nov 1994 \(text):49:37 GMT"),
                request("/healthz", "Content-Length: \(text)"),
                request("/t/p/w342/null", "X-Forwarded-For: \(text)", "Forwarded: for=\(text)"),
            ]
        }
        #expect(answers(to: requests) == requests.count)
    }

    @Test func `ranges of a body of any length lie within it`() {
        for length in Extremes.integers where length >= 0 {
            for text in Extremes.filled("bytes=#-#") {
                guard case .part(let range) = ByteRange(text, length: Int(length)) else { continue }
                #expect(!range.isEmpty && range.upperBound <= Int(length))
            }
        }
    }

    @Test func `addresses to listen at, and moments for a log`() {
        for text in Extremes.filled("127.0.0.1:#") + Extremes.filled("[::#]:#") {
            _ = try? ListenAddress(text)
        }
        for moment in Extremes.integers {
            #expect(InternetDate.format(Timestamp(nanoseconds: moment)).hasSuffix("Z"))
        }
        #expect(ProcessReading.now() != nil)
    }
}
