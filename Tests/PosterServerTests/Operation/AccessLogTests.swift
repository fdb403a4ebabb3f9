import Foundation
import PosterBase
import PosterKit
import Testing

@testable import PosterHTTP
@testable import PosterServer

@Suite struct AccessLogTests {
    private func entry(target: String, method: String = "GET") -> AccessLog.Entry {
        AccessLog.Entry(
            time: Timestamp(nanoseconds: 1_700_000_000_123_456_789), client: "192.0.2.7",
            method: method, target: target, status: 200, bytes: 24_000, route: .poster,
            outcome: .hit, milliseconds: 3)
    }

    @Test func `a line in logfmt holds what an operator asks for`() {
        #expect(
            AccessLog.line(entry(target: "/t/p/w342/abc.jpg"), .logfmt)
                == "time=2023-11-14T22:13:20.123Z client=192.0.2.7 method=\"GET\" "
                + "target=\"/t/p/w342/abc.jpg\" status=200 bytes=24000 route=poster cache=hit ms=3")
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
        #expect(object?["cache"] as? String == "hit")
        #expect(object?.count == 9)
        #expect(text.hasSuffix(" status=200 bytes=24000 route=poster cache=hit ms=3"))
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

    /// Sends requests to a server that logs, and returns its lines once there are so many.
    private func lines(
        _ requests: [String], _ change: @escaping (inout ServerConfiguration) -> Void = { _ in }
    ) throws -> [String] {
        let lines = Monitor<[String]>([])
        let site = try TestSite({ configuration in
            configuration.accessLog = AccessLog(.logfmt) { line in
                lines.withLock { $0.append(line) }
                lines.notifyAll()
            }
            change(&configuration)
        })
        for (index, request) in requests.enumerated() {
            #expect(site.exchange(request) != nil)
            // A line is written after its answer has been sent.
            _ = lines.wait(until: .now + .seconds(30)) { $0.count > index ? true : nil }
        }
        return lines.withLock { $0 }
    }

    private func request(_ target: String, _ lines: String = "") -> String {
        "GET \(target) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\(lines)\r\n"
    }

    @Test func `a head that is refused has its line, with as much as was read`() throws {
        let field = "X: " + String(repeating: "a", count: 40_000)
        let log = try lines([
            "GET /healthz HTTP/1.1\r\nHost: x\r\n\(field)\r\n\r\n",
            " /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
        ])
        try #require(log.count == 2)
        #expect(log[0].contains(" method=\"GET\" target=\"/healthz\" status=431 bytes="))
        #expect(log[1].contains(" method=\"-\" target=\"\" status=400 bytes="))
        #expect(log.allSatisfy { $0.contains(" route=none cache=- ms=") })
    }

    @Test func `a line tells what the cache did`() throws {
        let poster = "/t/p/w342\(ServingTests.poster.path)"
        let targets = [
            (poster, "miss"), (poster, "hit"), ("/thumb/60x90\(ServingTests.poster.path)", "made"),
            ("/thumb/60x90\(ServingTests.poster.path)", "hit"),
            ("/t/p/w342/null", "placeholder-missing"),
            ("/t/p/w342/nosuch.jpg", "placeholder-missing"),
            ("/placeholder/60x90?kind=unavailable", "placeholder-unavailable"),
            ("/3/trending/movie/week", "miss"), ("/3/trending/movie/week", "hit"),
            ("/healthz", "-"),
        ]
        let log = try lines(targets.map { request($0.0) })
        try #require(log.count == targets.count)
        for ((target, outcome), line) in zip(targets, log) {
            #expect(line.contains(" cache=\(outcome) ms="), "\(target): \(line)")
        }
    }

    @Test func `behind a trusted proxy a line names the client that the proxy names`() throws {
        let requests = [
            request("/healthz"),
            request("/healthz", "X-Forwarded-For: 203.0.113.9\r\n"),
            request("/healthz", "X-Forwarded-For: 198.51.100.1, 203.0.113.9, 127.0.0.2\r\n"),
            request("/healthz", "X-Forwarded-For: 1.2.3.4\r\nX-Forwarded-For: 2001:DB8::7\r\n"),
            request("/healthz", "X-Forwarded-For: 1.2.3.4, nonsense\r\n"),
        ]
        let believed = try lines(requests) {
            $0.trustedProxies = [AddressRange("127.0.0.0/8")].compactMap { $0 }
        }
        let clients = ["127.0.0.1", "203.0.113.9", "203.0.113.9", "2001:db8::7", "127.0.0.1"]
        try #require(believed.count == clients.count)
        for (client, line) in zip(clients, believed) {
            #expect(line.contains(" client=\(client) "))
        }
        let doubted = try lines(requests)
        #expect(doubted.allSatisfy { $0.contains(" client=127.0.0.1 ") })
    }
}
