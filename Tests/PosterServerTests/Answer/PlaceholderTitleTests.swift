import Amodb
import PosterKit
import Testing
import TestSupport

@testable import FixtureOrigin
@testable import PosterHTTP
@testable import PosterServer

/// A placeholder's title comes from the lists that this cache has seen.
@Suite struct PlaceholderTitleTests {
    private let list = "/3/trending/movie/week"
    private let thumbnail = "/thumb/120x180"

    /// A film of the list that has a poster, and how its placeholder is asked for by name.
    private func film(in response: Response) throws -> (path: String, byName: String) {
        let film = try #require(
            FilmList(json: response.body).films.first { $0.posterPath?.isEmpty == false })
        let path = thumbnail + (try #require(film.posterPath))
        let title = (film.title ?? "").utf8.map { byte in
            byte.isLetterOrDigit ? String(UnicodeScalar(byte)) : "%" + byte.hexadecimal
        }
        return (path, "\(path)?title=\(title.joined())")
    }

    @Test func `a list of the page names the posters that cannot be had`() throws {
        let site = try TestSite()
        site.origin.misbehave(at: "/t/p/*", .status(500))
        let film = try film(in: relayed(site))
        let shown = try site.get(film.path)
        #expect(shown.header("Cache-Status")?.contains("placeholder-unavailable") == true)
        #expect(shown.body == (try site.get(film.byName)).body)
    }

    @Test func `before the list came there is only the mark, and its title right afterwards`()
        throws
    {
        let site = try TestSite()
        let elsewhere = try TestSite()
        let film = try film(in: relayed(elsewhere))
        site.origin.misbehave(at: "/t/p/*", .status(404))
        let before = try site.get(film.path)
        #expect(before.body != (try site.get(film.byName)).body)
        _ = try relayed(site)
        #expect(try site.get(film.path).body == (try site.get(film.byName)).body)
    }

    @Test func `a film's own page names its poster, too`() throws {
        let site = try TestSite()
        site.origin.misbehave(at: "/t/p/*", .status(404))
        site.origin.misbehave(
            at: "/3/movie/7",
            .status(
                200,
                body: Array(#"{"id":7,"title":"Seven","poster_path":"/seven.jpg","x":[]}"#.utf8)))
        #expect(try site.get("/film/7?wait=1").status == 200)
        let shown = try site.get("\(thumbnail)/seven.jpg")
        #expect(shown.body == (try site.get("\(thumbnail)/seven.jpg?title=Seven")).body)
        #expect(shown.body != (try site.get("\(thumbnail)/eight.jpg")).body)
    }

    @Test func `a server that starts later knows the lists of the one before`() throws {
        let site = try TestSite()
        let film = try film(in: relayed(site))
        let cache = site.directory.path + "/cache"
        let later = try TestSite(store: { $0.cacheDirectory = cache })
        later.origin.misbehave(at: "/t/p/*", .status(404))
        #expect(try later.get(film.path).body == (try later.get(film.byName)).body)
    }

    @Test(
        "a list that a client or a visitor makes up names nothing",
        arguments: [
            "/3/trending/movie/week?language=zh-CN", "/3/trending/movie/week?page=2",
            "/3/discover/movie", "/3/discover/movie?language=en-US", "/3/movie/7",
            "/3/movie/7?language=en-US", "/?language=zh-CN&wait=1", "/film/7?language=zh-CN&wait=1",
            "/3/trending/movie/week?language=en-US&language=zh-CN",
        ])
    func strangersLists(target: String) throws {
        let site = try TestSite()
        site.origin.misbehave(at: "/t/p/*", .status(404))
        let before = try site.get("\(thumbnail)/seven.jpg")
        let film = #"{"id":7,"title":"X","poster_path":"/seven.jpg"}"#
        let isFilm = target.contains("/7")
        site.origin.misbehave(
            at: "/3/*",
            .status(200, body: Array((isFilm ? film : #"{"results":[\#(film)]}"#).utf8)))
        #expect(try site.get(target).status == 200)
        #expect(try site.get("\(thumbnail)/seven.jpg").body == before.body)
        // What the page shows does, and a stranger's list changes it no more.
        let good = Array(#"{"results":[{"id":7,"title":"Good","poster_path":"/seven.jpg"}]}"#.utf8)
        site.origin.misbehave(at: "/3/*", .status(200, body: good))
        #expect(try site.get("/?list=tv&wait=1").status == 200)
        let named = try site.get("\(thumbnail)/seven.jpg?title=Good").body
        #expect(try site.get("\(thumbnail)/seven.jpg").body == named)
        #expect(try site.get("/3/discover/tv?language=zh-CN&page=9").status == 200)
        #expect(try site.get("\(thumbnail)/seven.jpg").body == named)
    }

    @Test(
        "a title is text, cut at what a placeholder can show",
        arguments: [
            (String(repeating: "Ж", count: 900), String(repeating: "Ж", count: 200)),
            ("<b>&amp;", "<b>&amp;"),
        ])
    func hostileTitles(title: String, shown: String) throws {
        let site = try TestSite()
        site.origin.misbehave(at: "/t/p/*", .status(404))
        site.origin.misbehave(
            at: list,
            .status(
                200,
                body: Array(
                    #"{"results":[{"id":1,"title":"\#(title)","poster_path":"/a1.jpg"}]}"#.utf8)))
        _ = try relayed(site)
        let query = shown.utf8.map { "%" + $0.hexadecimal }.joined()
        let answer = try site.get("\(thumbnail)/a1.jpg")
        #expect(answer.status == 200)
        #expect(answer.body == (try site.get("\(thumbnail)/a1.jpg?title=\(query)")).body)
    }

    private func relayed(_ site: TestSite) throws -> Response {
        let response = try site.get(list)
        try #require(response.status == 200)
        return response
    }
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool {
        let scalar = UnicodeScalar(self)
        return scalar.isASCII && scalar.properties.isAlphabetic || 0x30...0x39 ~= self
    }

    fileprivate var hexadecimal: String {
        String(0x100 + Int(self), radix: 16, uppercase: true).suffix(2).description
    }
}
