import Foundation
import Testing
import TestSupport

/// The fronts of one machine in `deploy/`, with the programs that they are for.
@Suite struct FrontTests {
    private static let folder =
        URL(filePath: Upstream.fixtures).deletingLastPathComponent().path + "/deploy"

    /// A front as its file has it, before a server.
    private static func front(_ name: String, before server: RunningServer) throws -> String {
        try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
            .replacingOccurrences(of: "127.0.0.1:8600", with: "127.0.0.1:\(server.port)")
    }

    private static func server(_ upstream: Upstream) throws -> RunningServer {
        let program = upstream.program()
        try program.write("tokens", Array("soak-token\n".utf8))
        return try RunningServer(program, "--clients", "tokens")
    }

    @Test(.enabled(if: Nginx.isInstalled && Curl.isInstalled))
    func `nginx in front passes on what is asked for, and the rest it keeps`() throws {
        let upstream = try Upstream()
        let server = try Self.server(upstream)
        let nginx = try Nginx(front: try Self.front("front-nginx.conf", before: server))
        let curl = Curl(trusted: nginx.certificate.certificate)
        try check(curl, "https://127.0.0.1:\(nginx.port)", server)
        let plain = try curl.get("http://posters.example/x?y=z", "--unix-socket", nginx.plainSocket)
        #expect(plain.status == 308)
        #expect(plain.header("Location") == "https://posters.example/x?y=z")
        let log = String(
            decoding: try #require(FileManager.default.contents(atPath: nginx.log)), as: UTF8.self)
        let lines = log.split(separator: "\n")
        for line in lines {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            #expect(object?["client"] as? String == "127.0.0.1")
        }
        #expect(lines.contains { $0.contains("\"cache\":\"onesheet; hit\"") })
        #expect(!log.contains("soak-token"))
    }

    @Test(.enabled(if: Haproxy.isInstalled && Curl.isInstalled))
    func `HAProxy in front passes on what is asked for, and the rest it keeps`() throws {
        let upstream = try Upstream()
        let server = try Self.server(upstream)
        let haproxy = try Haproxy(front: try Self.front("front-haproxy.cfg", before: server))
        let curl = Curl(trusted: haproxy.certificate.certificate)
        try check(curl, "https://127.0.0.1:\(haproxy.port)", server)
        let plain = try curl.get(
            "http://posters.example/x?y=z", "--unix-socket", haproxy.plainSocket)
        #expect(plain.status == 308)
        #expect(plain.header("Location") == "https://posters.example/x?y=z")
        let checked = try run(Haproxy.program, "-c", "-f", haproxy.checked)
        #expect(checked.status == 0)
        #expect(!checked.text.contains("WARNING"), "\(checked.text)")
    }

    private func check(_ curl: Curl, _ address: String, _ server: RunningServer) throws {
        let path = try Upstream.trendingPaths()[0]
        let poster = "\(address)/t/p/w342\(path)"
        let body = try Upstream.bytes("posters/w342\(path)")
        for _ in 0..<3 {
            // So many cookies would not leave Onesheet room for an answer's head.
            let cookies = "Cookie: \(String(repeating: "a", count: 7500))"
            let answer = try curl.get(poster, "-H", cookies, "-H", "Accept-Encoding: gzip")
            #expect(answer.status == 200)
            #expect(answer.version == "2")
            #expect(answer.body == body)
            #expect(answer.header("Content-Encoding") == nil)
            #expect(answer.header("ETag").map { !$0.hasPrefix("W/") } == true)
        }
        #expect(try curl.get(poster, "-r", "0-9").body == Array(body.prefix(10)))
        #expect(try curl.get("\(address)/thumb/60x90\(path)", "--http1.1").version == "1.1")
        #expect(try curl.get("\(address)/t/p/w342/a.svg").status == 400)
        let posted = try curl.get("\(address)/healthz", "-X", "POST")
        #expect(posted.status == 405)
        #expect(posted.header("Allow") == "GET, HEAD")
        for hidden in ["/metrics", "/readyz", "/metrics?x", "/%6detrics", "//metrics"] {
            #expect(try curl.get(address + hidden).status >= 400, "\(hidden)")
        }
        let list = "\(address)/3/trending/movie/week"
        #expect(try curl.get(list).status == 401)
        let token = "Authorization: Bearer soak-token"
        let listed = try curl.get(list, "-H", token, "--compressed")
        #expect(listed.status == 200)
        #expect(listed.header("Content-Encoding") == "gzip")
        #expect(listed.body == (try Upstream.bytes("api/trending/movie/week.json")))
        let page = try curl.get("\(address)/?language=ru-RU", "-H", "Cookie: language=ru-RU")
        #expect(page.status == 200)
        // One connection is kept towards Onesheet and used again, and perhaps one for each of
        // two kinds, and one of a check.
        let metrics = String(decoding: try server.get("/metrics").body, as: UTF8.self)
        let open = metrics.split(separator: "\n").filter {
            $0.hasPrefix("onesheet_http_connections{")
        }.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
        #expect(open.reduce(0, +) <= 6, "\(open)")
    }
}
