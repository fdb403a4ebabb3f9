import Foundation
import PosterKit
import Testing

@testable import PosterServer

@Suite struct AccessLogTests {
    private func entry(target: String, method: String = "GET") -> AccessLog.Entry {
        AccessLog.Entry(
            time: Timestamp(nanoseconds: 1_700_000_000_123_456_789), client: "192.0.2.7",
            method: method, target: target, status: 200, bytes: 24_000, route: .poster,
            milliseconds: 3)
    }

    @Test func `a line in logfmt holds what an operator asks for`() {
        #expect(
            AccessLog.line(entry(target: "/t/p/w342/abc.jpg"), .logfmt)
                == "time=2023-11-14T22:13:20.123Z client=192.0.2.7 method=\"GET\" "
                + "target=\"/t/p/w342/abc.jpg\" status=200 bytes=24000 route=poster ms=3")
    }

    @Test(
        "whatever the target holds, a line is one line and its fields are where they were",
        arguments: [
            "/a b", "/\"", "/\" status=500", "/\\", "/\r\nGET /", "/\u{1B}[31m", "/\0", "/\u{7F}",
            "/\u{202E}", "/é", "/\u{2028}", "", String(repeating: "a", count: 5000),
        ])
    func escaped(target: String) throws {
        let entry = entry(target: target, method: target)
        let text = AccessLog.line(entry, .logfmt)
        let json = AccessLog.line(entry, .json)
        for line in [text, json] {
            #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F })
            #expect(line.unicodeScalars.allSatisfy { $0.value != 0x2028 })
            #expect(line.utf8.count < 6000)
        }
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        #expect(object?["target"] as? String == String(target.prefix(200)))
        #expect(object?["status"] as? Int == 200)
        #expect(object?.count == 8)
        #expect(text.hasSuffix(" status=200 bytes=24000 route=poster ms=3"))
    }

    @Test(
        "times are written as RFC 3339 has them",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (1_709_164_799_999_999_999, "2024-02-28T23:59:59.999Z"),
        ] as [(Int64, String)])
    func time(nanoseconds: Int64, text: String) {
        #expect(InternetDate.format(Timestamp(nanoseconds: nanoseconds)) == text)
    }

    @Test func `a head that the library refuses is told of without a method`() throws {
        let lines = Monitor<[String]>([])
        let site = try TestSite({ configuration in
            configuration.accessLog = AccessLog(.logfmt) { line in
                lines.withLock { $0.append(line) }
                lines.signal()
            }
        })
        let field = "X: " + String(repeating: "a", count: 40_000)
        let request = "GET /healthz HTTP/1.1\r\nHost: x\r\n\(field)\r\n\r\n"
        #expect(site.exchange(request)?.status == 431)
        let line = try #require(lines.wait(until: .now + .seconds(30)) { $0.first })
        #expect(line.contains(" method=\"-\" target=\"/healthz\" status=431 bytes=0 route=none "))
    }
}
