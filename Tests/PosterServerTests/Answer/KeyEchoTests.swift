import Foundation
import Testing
import TestSupport

@testable import FixtureOrigin
@testable import PosterBase
@testable import PosterFetch
@testable import PosterHTTP
@testable import PosterKit
@testable import PosterServer

/// An API that echoes the key in every place of an answer: nothing of it may come to a client, a
/// log, or a file.
@Suite struct KeyEchoTests {
    private static let key = "fixture-key"
    private static let list = "/3/trending/movie/week"

    /// The key as an echo may spell it, in one piece or in several.
    private static let echoes: [[String]] = {
        let bearer = "Bearer \(key)"
        let percent = key.utf8.map { "%" + String($0, radix: 16) }.joined()
        let escaped = key.utf8.map { "\\u00" + String($0, radix: 16) }.joined()
        let base64 = Data(bearer.utf8).base64EncodedString()
        let plain = [key, bearer, percent, escaped, base64, Data(key.utf8).base64EncodedString()]
        return plain.map { [$0] } + [[String(key.prefix(6)), String(key.dropFirst(6))]]
    }()

    /// Every way to answer with an echo.
    private static func faults(_ echo: [String]) -> [Fault] {
        let whole = echo.joined()
        let harmless = [
            "Content-Type", "ETag", "Last-Modified", "Set-Cookie", "Via", "WWW-Authenticate",
            "X-Echo", "Content-Language", "Cache-Control", "Server", "Date", "Age", "Warning",
            "Link", "Retry-After", "Location", "X-" + whole,
        ]
        let headers = harmless.flatMap { name in echo.map { (name, $0) } }
        var faults: [Fault] = [200, 301, 401, 402, 404, 500, 503].map {
            .status($0, headers: headers)
        }
        faults += ["Content-Encoding", "Transfer-Encoding", "Connection", "bad \(whole)"].map {
            name in
            .headers(echo.map { (name, $0) })
        }
        faults.append(.headers(headers))
        faults.append(.headers([("Content-Type", "application/json; charset=\(whole)")]))
        faults.append(.headers([("Content-Type", "application/json;\(whole)")]))
        faults.append(.contentLength(["1" + whole]))
        faults.append(.contentLength(echo))
        faults.append(.encoding(whole))
        faults.append(.redirect(to: whole))
        faults.append(.redirect(to: "/" + whole))
        let body = Array("{\"results\":[],\"status_message\":\"\(whole)\"}".utf8)
        for status in [200, 400, 403, 404, 410, 422, 500] where echo.count == 1 {
            faults.append(
                .status(status, headers: [("Content-Type", "application/json")], body: body))
        }
        return faults
    }

    @Test("no echo of the key goes anywhere", arguments: echoes)
    func silent(echo: [String]) throws {
        let lines = Monitor<[String]>([])
        let log = Log { _, line in lines.withLock { $0.append(line) } }
        var seen: [[UInt8]] = []
        var answers = 0
        for fault in Self.faults(echo) {
            let site = try TestSite(
                { $0.accessLog = AccessLog { line in lines.withLock { $0.append(line) } } },
                store: { $0.listRequestsPerMinute = 0 }, log: log)
            site.origin.misbehave(at: "/3/*", fault)
            for target in [Self.list, "/3/configuration", "/?part=1", "/film/7?part=1"] {
                let client = RawClient(port: site.server.port)
                client.send("GET \(target) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                seen.append(client.receiveAll())
                answers += 1
            }
            seen.append(try site.get("/metrics").body + site.get("/readyz").body)
            for file in site.directory.files() {
                seen.append(Array(file.utf8))
                seen.append(
                    [UInt8](try Data(contentsOf: URL(filePath: "\(site.directory.path)/\(file)"))))
            }
        }
        #expect(answers > 60)
        seen += lines.withLock { $0 }.map { Array($0.utf8) }
        let needles = (echo + [Self.key]).map { Array($0.utf8) }
        for bytes in seen {
            let data = Data(bytes)
            for needle in needles where data.range(of: Data(needle)) != nil {
                #expect(Bool(false), "\(String(decoding: bytes.prefix(600), as: UTF8.self))")
            }
        }
    }

    @Test(
        "a refusal that holds the key, or is none of the API's, is told in this service's own words",
        arguments: [400, 403, 404, 410, 422],
        [#"{"status_message":"not \#(key)"}"#, "<html>no</html>", "", "{"])
    func refusals(status: Int, body: String) throws {
        let site = try TestSite()
        site.origin.misbehave(
            at: "/3/*",
            .status(
                status, headers: [("Content-Type", "application/json")], body: Array(body.utf8)))
        let response = try site.get(Self.list)
        #expect(response.status == status)
        #expect(response.header("Content-Type") == "application/json")
        #expect(response.header("Cache-Control") == "no-store")
        #expect(response.header("Cache-Status")?.isEmpty == false)
        #expect(response.text.contains("\"code\":\"upstream_refused\""))
        #expect(response.text.contains("\(status)"))
    }
}
