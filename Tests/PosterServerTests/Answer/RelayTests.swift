import PosterBase
import PosterKit
import Testing

@testable import FixtureOrigin
@testable import PosterHTTP
@testable import PosterServer

@Suite struct RelayTests {
    private let target = "/3/trending/movie/week"

    @Test func `a list is passed on, once for all clients, with the service's key`() throws {
        let site = try TestSite()
        let first = try site.get("\(target)?language=en-US", "Cookie: a=b")
        #expect(first.status == 200)
        #expect(first.header("Content-Type")?.hasPrefix("application/json") == true)
        #expect(first.text.contains("\"results\""))
        #expect(first.header("Cache-Control")?.hasPrefix("public, max-age=") == true)
        let second = try site.get("\(target)?language=en-US")
        #expect(second.body == first.body)
        #expect(second.header("Cache-Status") == "onesheet; hit")
        #expect(second.header("Age") == nil)
        #expect(site.origin.requests(to: target) == 1)
        let sent = site.origin.log.flatMap(\.headers)
        #expect(sent.contains { $0.name.lowercased() == "authorization" })
        #expect(!sent.contains { $0.name.lowercased() == "cookie" })
    }

    @Test func `a list that has not changed is 304`() throws {
        let site = try TestSite()
        let tag = try #require(try site.get(target).header("ETag"))
        #expect(try site.get(target, "If-None-Match: \(tag)").status == 304)
    }

    @Test(
        "the upstream's meaning is kept",
        arguments: [
            (401, 502, "upstream_key_refused"), (402, 502, "upstream_plan_ended"),
            (500, 502, "upstream_error"), (504, 504, "upstream_timeout"),
        ])
    func errors(upstream: Int, status: Int, code: String) throws {
        let site = try TestSite()
        site.origin.misbehave(at: "/3/*", .status(upstream))
        let response = try site.get(target)
        #expect(response.status == status)
        #expect(response.text.contains("\"code\":\"\(code)\""))
        #expect(response.header("Cache-Control") == "no-store")
        #expect(!response.text.contains("fixture-key"))
    }

    @Test func `a rate limit that does not end is 503 with Retry-After`() throws {
        let site = try TestSite()
        site.origin.misbehave(at: "/3/*", .status(429, headers: [("Retry-After", "0")]))
        let response = try site.get(target)
        #expect(response.status == 503)
        #expect(response.text.contains("\"upstream_rate_limited\""))
        #expect(response.header("Retry-After").flatMap { Int($0) } ?? 0 >= 1)
    }

    @Test func `an unknown film is passed on as 404`() throws {
        let site = try TestSite()
        let response = try site.get("/3/movie/999999999")
        #expect(response.status == 404)
        #expect(response.header("Cache-Control") == "no-store")
    }

    @Test(
        "a path that could lead elsewhere is refused, and upstream is not asked",
        arguments: [
            "/3", "/3/", "/3//evil", "/3/../x", "/3/%2e%2e/x", "/3/movie/", "/3/movie/1%00",
            "/3/./movie", "/3/movie;x", "/3/movie/1?a=%zz", "/3/movie/1?a=<b>", "/3/@evil/x",
        ])
    func refused(target: String) throws {
        let site = try TestSite()
        #expect(try site.get(target).status == 400)
        #expect(site.origin.totalRequests == 0)
    }

    @Test(
        "with clients, only a bearer of a token is answered",
        arguments: [
            (nil, 401), ("Bearer sesame", 200), ("bearer sesame", 200), ("Bearer other", 200),
            ("Bearer sesam", 401), ("Bearer sesamee", 401), ("Bearer SESAME", 401),
            ("Bearer", 401), ("Bearer ", 401), ("sesame", 401), ("Basic sesame", 401),
            ("Bearer sesame other", 401), ("Bearersesame", 401), ("Bearer fixture-key", 401),
            ("Bearer sesame\r\nAuthorization: Bearer sesame", 401),
        ] as [(String?, Int)])
    func tokens(authorization: String?, status: Int) throws {
        let site = try TestSite({ $0.clientTokens = [Secret("sesame"), Secret("other")] })
        let response = try site.get(target, authorization.map { "Authorization: \($0)" } ?? "X: y")
        #expect(response.status == status)
        if status == 401 {
            #expect(response.header("WWW-Authenticate") == "Bearer realm=\"onesheet\"")
            #expect(response.header("Cache-Control") == "no-store")
            #expect(site.origin.totalRequests == 0)
        } else {
            #expect(response.header("Cache-Control")?.hasPrefix("private") == true)
        }
        #expect(try site.get("/t/p/w342/null").status == 200)
    }

    @Test func `tokens can be put in place while it runs`() throws {
        let site = try TestSite({ $0.clientTokens = [Secret("old")] })
        site.server.replaceClientTokens([Secret("new")])
        #expect(try site.get(target, "Authorization: Bearer old").status == 401)
        #expect(try site.get(target, "Authorization: Bearer new").status == 200)
    }

    @Test func `nothing of the client but path and query goes upstream`() throws {
        let site = try TestSite({ $0.clientTokens = [Secret("sesame")] })
        let response = try site.get(
            "\(target)?page=1&language=de&api_key=theirs", "Authorization: Bearer sesame",
            "Cookie: a=b", "X-Forwarded-For: 192.0.2.1", "Referer: https://app.example/",
            "Accept-Language: fr", "Accept-Encoding: gzip, br", "TE: trailers", "X-Odd: 1")
        #expect(response.status == 200)
        let sent = try #require(site.origin.log.first)
        #expect(sent.target == "\(target)?language=de&page=1")
        #expect(
            sent.headers.map { $0.name.lowercased() }.sorted()
                == ["accept", "authorization", "host", "user-agent"])
        #expect(sent.header("Authorization") == "Bearer fixture-key")
        // The same in another order is the same list.
        let again = try site.get(
            "\(target)?language=de&page=1", "Authorization: Bearer sesame")
        #expect(again.header("Cache-Status") == "onesheet; hit")
    }

    @Test func `nothing of upstream but status, body and type goes to the client`() throws {
        let site = try TestSite()
        site.origin.misbehave(
            at: "/3/*",
            .headers([
                ("Content-Type", "application/json"), ("Set-Cookie", "a=b"), ("Warning", "110"),
                ("Connection", "X-Odd"), ("X-Odd", "1"), ("Server", "cloud"), ("Via", "1.1 x"),
                ("Access-Control-Allow-Origin", "*"), ("Link", "<https://evil/>"),
                ("Strict-Transport-Security", "max-age=1"), ("ETag", "\"theirs\""),
            ]))
        let response = try site.get(target)
        #expect(response.status == 200)
        for name in [
            "Set-Cookie", "Warning", "X-Odd", "Via", "Access-Control-Allow-Origin", "Link",
            "Strict-Transport-Security",
        ] {
            #expect(response.header(name) == nil, "\(name)")
        }
        #expect(response.header("ETag") != "\"theirs\"")
        #expect(response.header("Server") != "cloud")
    }

    @Test func `a list of the limit's size passes, a larger one does not`() throws {
        let site = try TestSite()
        let limit = 4 << 20
        for (size, status) in [(limit, 200), (limit + 1, 502)] {
            let body = Array("[\"\(String(repeating: "x", count: size - 4))\"]".utf8)
            site.origin.misbehave(at: "/3/*", .status(200, body: body))
            let response = try site.get("\(target)?size=\(size)")
            #expect(response.status == status)
            #expect(status != 200 || response.body == body)
        }
    }

    @Test func `during an outage the last good list is served, marked stale`() throws {
        let site = try TestSite(store: {
            $0.listMaxAge = .zero
            $0.listStaleWhileRevalidate = .zero
        })
        let good = try site.get(target)
        #expect(good.status == 200)
        site.origin.misbehave(at: "/3/*", .status(500))
        let stale = try site.get(target)
        #expect(stale.status == 200)
        #expect(stale.body == good.body)
        #expect(stale.header("Cache-Status") == "onesheet; fwd=stale; detail=stale-if-error")
        #expect(stale.header("Warning") == nil)
    }
}
