import Amodb
import Foundation
import Testing
import TestSupport

@testable import FixtureOrigin
@testable import PosterBase
@testable import PosterHTTP
@testable import PosterKit
@testable import PosterServer

/// What the relay passes on, to which clients, and what it changes.
@Suite struct RelayRulesTests {
    private let list = "/3/trending/movie/week"

    @Test(
        "what belongs to one user of the API is a 404, and upstream is not asked",
        arguments: [
            "authentication", "authentication/token/new", "account", "account/1/favorite/movies",
            "guest_session", "guest_session/1/rated/movies", "session", "session/x", "Account/1",
            "ACCOUNT", "movie/7/account_states", "tv/1/season/2/episode/3/account_states",
        ])
    func personalPaths(path: String) throws {
        let site = try TestSite()
        for query in ["", "?language=de", "?api_key=x"] {
            let response = try site.get("/3/\(path)\(query)")
            #expect(response.status == 404)
            #expect(response.header("Cache-Control") == "no-store")
        }
        #expect(site.origin.totalRequests == 0)
    }

    @Test(
        "a parameter that belongs to one user is a 400, and upstream is not asked",
        arguments: [
            "session_id=1", "guest_session_id=1", "session_id", "session_id=", "SESSION_ID=1",
            "session%5Fid=1", "%73ession_id=1", "page=1&guest%5fsession%5fid=2",
            "append_to_response=account_states", "append_to_response=credits,account_states",
            "append_to_response=credits%2Caccount%5Fstates",
        ])
    func personalParameters(query: String) throws {
        let site = try TestSite()
        let response = try site.get("\(list)?\(query)")
        #expect(response.status == 400)
        #expect(response.text.contains("\"bad_parameter\""))
        #expect(site.origin.totalRequests == 0)
    }

    @Test(
        "what merely looks like it passes",
        arguments: [
            "/3/movie/7?append_to_response=credits,ratings",
            "/3/trending/movie/week?my_session_id=1",
            "/3/trending/movie/week?x=session_id",
        ])
    func publicRequests(target: String) throws {
        let site = try TestSite()
        _ = try site.get(target)
        #expect(site.origin.totalRequests == 1)
    }

    @Test(
        "with clients, an api_key that is a token lets in, and goes no further",
        arguments: [
            ("api_key=sesame", 200), ("language=de&api_key=sesame", 200),
            ("api%5Fkey=ses%61me", 200), ("API_KEY=sesame", 200), ("api_key=other", 200),
            ("api_key=sesam", 401), ("api_key=", 401), ("api_key", 401), ("api_key=SESAME", 401),
            ("api_key=sesame&api_key=sesame", 401), ("api_key=fixture-key", 401), ("", 401),
            ("apikey=sesame", 401), ("x=api_key=sesame", 401),
        ])
    func keyAsToken(query: String, status: Int) throws {
        let lines = Monitor<[String]>([])
        let site = try TestSite({
            $0.clientTokens = [Secret("sesame"), Secret("other")]
            $0.accessLog = AccessLog { line in lines.withLock { $0.append(line) } }
        })
        let response = try site.get("\(list)?\(query)")
        #expect(response.status == status)
        #expect(site.origin.log.allSatisfy { !$0.target.lowercased().contains("key") })
        if status == 200 {
            #expect(response.header("Cache-Control")?.hasPrefix("private") == true)
            // One list for all of them.
            let again = try site.get("\(list)?\(query)&api_key", "Authorization: Bearer other")
            #expect(again.header("Cache-Status") == "onesheet; hit")
        } else {
            #expect(site.origin.totalRequests == 0)
        }
    }

    @Test func `an Authorization that is wrong does not hide an api_key that is right`() throws {
        let site = try TestSite({ $0.clientTokens = [Secret("sesame")] })
        #expect(try site.get("\(list)?api_key=sesame", "Authorization: Bearer x").status == 200)
    }

    @Test(
        "no client's key or session comes into the log",
        arguments: [
            ("/3/x?api_key=S3CRET", "/3/x?api_key=…"),
            ("/3/x?a=1&api_key=S3CRET&b=2", "/3/x?a=1&api_key=…&b=2"),
            ("/3/x?api%5Fkey=S3CRET", "/3/x?api_key=…"), ("/3/x?API_KEY=S3CRET", "/3/x?api_key=…"),
            ("/t/p/w342/a.jpg?api_key=S3CRET", "/t/p/w342/a.jpg?api_key=…"),
            ("/3/x?session_id=S3CRET", "/3/x?session_id=…"),
            ("http://h/3/x?%61pi_key=S3CRET=S3CRET", "http://h/3/x?api_key=…"),
            ("/3/x?api_key", "/3/x?api_key=…"), ("/3/x?a=1&&b", "/3/x?a=1&&b"), ("/3/x", "/3/x"),
            ("/3/x?", "/3/x?"),
        ])
    func logged(target: String, shown: String) {
        #expect(RelayQuery.withoutSecrets(target) == shown)
        let entry = AccessLog.Entry(
            time: .now(), client: "::1", method: "GET", target: target, status: 200, bytes: 0,
            route: .relay, outcome: .hit, milliseconds: 1)
        for format in AccessLog.Format.allCases {
            #expect(!AccessLog.line(entry, format).contains("S3CRET"))
        }
    }

    @Test(
        "a secret parameter is one however it is written",
        arguments: [
            "x=1;NAME=S3CRET", "NAME[]=S3CRET", "%20NAME=S3CRET", "NAME%00=S3CRET", "+NAME=S3CRET",
            "x=1;%4EAME=S3CRET", "x=1;;NAME=S3CRET;y=2",
        ])
    func spellings(query: String) throws {
        let site = try TestSite()
        for name in ["api_key", "session_id", "guest_session_id", "API_KEY", "api.key"] {
            let query = query.replacing("NAME", with: name).replacing(
                "%4EAME", with: "%\(String(name.utf8.first ?? 0, radix: 16))\(name.dropFirst())")
            let target = "\(list)?\(query)"
            let status = try site.get(target).status
            #expect(status == (name.lowercased().hasPrefix("api") ? 200 : 400), "\(target)")
            #expect(!RelayQuery.withoutSecrets(target).contains("S3CRET"), "\(target)")
        }
        #expect(site.origin.log.allSatisfy { !$0.target.contains("S3CRET") })
    }

    @Test(
        "a request for a fresh list asks upstream, unless the one at hand is a minute old at most",
        arguments: [
            ("fresh", true), ("fresh=1", true), ("fresh=", true), ("language=de&fresh", true),
            ("fresh=0", false), ("fresh=false", false), ("fresher=1", false), ("", false),
        ])
    func fresh(query: String, asks: Bool) throws {
        let site = try TestSite()
        let target = "\(list)?\(query)"
        #expect(try site.get(target).status == 200)
        #expect(try site.get(target).header("Cache-Status") == "onesheet; hit")
        #expect(site.origin.totalRequests == 1)
        try site.age(listsBy: 61)
        let answer = try site.get(target)
        #expect(site.origin.totalRequests == (asks ? 2 : 1))
        #expect(answer.header("Cache-Status")?.contains(asks ? "fwd=miss" : "hit") == true)
        #expect(site.origin.log.allSatisfy { !$0.target.contains("fresh=") })
    }

    @Test func `strangers on the page and the relay spend one budget, and not the key`() throws {
        let site = try TestSite(store: { $0.listRequestsPerMinute = 8 })
        var statuses: [Int] = []
        for number in 1...20 {
            statuses.append(try site.get("/film/\(number)?wait=1").status)
            statuses.append(try site.get("\(list)?page=\(number)").status)
        }
        #expect(site.origin.totalRequests == 5)
        #expect(statuses.dropFirst(5).allSatisfy { $0 == 503 })
        let refused = try site.get("\(list)?page=21")
        #expect(refused.text.contains("\"api_budget_spent\""))
        #expect((1...60).contains(refused.header("Retry-After").flatMap { Int($0) } ?? 0))
        #expect(
            (1...60).contains(
                try site.get("/film/21?wait=1").header("Retry-After").flatMap { Int($0) } ?? 0))
        // The page's own list never came in before, and comes in from the part that is kept.
        #expect(try site.get("/3/trending/tv/week").status == 200)
        #expect(site.origin.totalRequests == 6)
        // What is kept is still had, and what is in use may still be asked for.
        #expect(try site.get("\(list)?page=1").header("Cache-Status") == "onesheet; hit")
        try site.age(listsBy: 61)
        #expect(
            try site.get("\(list)?page=1&fresh").header("Cache-Status")?.contains("miss") == true)
        #expect(site.origin.totalRequests == 7)
    }

    @Test(
        "the API's configuration names this service as the place of pictures",
        arguments: [
            (nil, "films.example:8600", "http://films.example:8600/t/p/"),
            ("https://films.example", "10.0.0.1", "https://films.example/t/p/"),
            ("https://films.example/posters/", "x", "https://films.example/posters/t/p/"),
        ] as [(String?, String, String)])
    func configuration(publicURL: String?, host: String, address: String) throws {
        let site = try TestSite({ serving in
            do { serving.publicURL = try publicURL.map { try BaseURL($0) } } catch {
                Issue.record(error)
            }
        })
        let theirs = #"""
            {"change_keys": ["a", 1.50, {"images": 1}], "images": {"base_url":
            "http://image.example/t/p/", "secure_base_url":"https:\/\/image.example\/t\/p\/",
            "secure\u005fbase_url": "https://image.example/", "poster_sizes": ["w92", "w9999"],
            "logo_sizes": [], "other": {"base_url": "kept \" }"}}, "last": null }
            """#
        site.origin.misbehave(at: "/3/configuration", .status(200, body: Array(theirs.utf8)))
        let response = try #require(
            site.exchange(
                "GET /3/configuration HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n"))
        #expect(response.status == 200)
        let json = try #require(
            JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any])
        let images = try #require(json["images"] as? [String: Any])
        #expect(images["base_url"] as? String == address)
        #expect(images["secure_base_url"] as? String == address)
        #expect(
            Set(images.keys) == [
                "base_url", "secure_base_url", "poster_sizes", "logo_sizes", "other",
            ])
        for name in ["poster_sizes", "logo_sizes"] {
            #expect(images[name] as? [String] == PosterSize.allCases.map(\.rawValue))
        }
        #expect((images["other"] as? [String: String]) == ["base_url": "kept \" }"])
        #expect(json.keys.sorted() == ["change_keys", "images", "last"])
        #expect(response.text.contains(#""change_keys":["a", 1.50, {"images": 1}]"#))
        // What the request says of the address is for no other client.
        let scope = publicURL == nil ? "private" : "public"
        #expect(response.header("Cache-Control")?.hasPrefix("\(scope), max-age=") == true)
        // The tag is that of what was sent.
        let tag = try #require(response.header("ETag"))
        #expect(tag == "\"\(ContentHash(of: response.body))\"")
    }

    @Test(
        "the host of a target's absolute form counts instead of Host",
        arguments: [
            ("http://films.example:81/3/configuration", "http://films.example:81/t/p/"),
            ("HTTPS://films.example/3/configuration", "http://films.example/t/p/"),
            ("/3/configuration", "http://other.example/t/p/"),
        ])
    func authority(target: String, address: String) throws {
        let site = try TestSite()
        let theirs = #"{"images": {"base_url": "http://image.example/t/p/"}}"#
        site.origin.misbehave(at: "/3/configuration", .status(200, body: Array(theirs.utf8)))
        let response = try #require(
            site.exchange(
                "GET \(target) HTTP/1.1\r\nHost: other.example\r\nConnection: close\r\n\r\n"))
        #expect(response.text.contains("\"base_url\":\"\(address)\""))
    }

    @Test(
        "the scheme in the API's configuration is the word of a trusted proxy, no other client's",
        arguments: [
            ("127.0.0.0/8", ["https"], "https"), ("127.0.0.0/8", ["HTTPS"], "https"),
            ("127.0.0.0/8", ["http, https"], "https"), ("127.0.0.0/8", ["https, http"], "http"),
            ("127.0.0.0/8", ["http", " https "], "https"), ("127.0.0.0/8", ["ftp"], "http"),
            ("127.0.0.0/8", [""], "http"), ("127.0.0.0/8", [], "http"),
            ("10.0.0.0/8", ["https"], "http"), (nil, ["https"], "http"),
        ] as [(String?, [String], String)])
    func forwardedScheme(proxies: String?, schemes: [String], scheme: String) throws {
        let site = try TestSite({ serving in
            serving.trustedProxies = proxies.flatMap { AddressRange($0) }.map { [$0] } ?? []
        })
        let theirs = #"{"images": {"base_url": "http://image.example/t/p/"}}"#
        site.origin.misbehave(at: "/3/configuration", .status(200, body: Array(theirs.utf8)))
        let fields = schemes.map { "X-Forwarded-Proto: \($0)\r\n" }.joined()
        let response = try #require(
            site.exchange(
                "GET /3/configuration HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                    + "X-Forwarded-Host: evil.example\r\n\(fields)\r\n"))
        #expect(response.text.contains("\"\(scheme)://x/t/p/\""))
    }
}

extension TestSite {
    /// Makes the kept lists so many seconds older. When they were used last stays.
    func age(listsBy seconds: Int) throws {
        let folder = try Directory("\(directory.path)/cache/lists")
        var names: [String] = []
        try folder.forEachName { name, _ in names.append(String(cString: name)) }
        for name in names where name.hasSuffix(".json") {
            guard let status = try folder.status(name) else { continue }
            try folder.setTimes(
                name, accessed: nil, modified: status.modified - .seconds(seconds))
        }
    }
}
