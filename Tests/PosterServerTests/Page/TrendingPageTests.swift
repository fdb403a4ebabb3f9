import Foundation
import Testing

@testable import PosterBase
@testable import PosterImages
@testable import PosterKit
@testable import PosterLists
@testable import PosterServer

@Suite struct TrendingPageTests {
    @Test func `a list that lies on disk is in the first answer, without asking`() {
        let fixture = PageFixture(cached: .films)
        let answer = fixture.get("/")
        #expect(answer.status == 200)
        #expect(answer.state == "full")
        #expect(answer.text.contains(">Stalker</h2>"))
        #expect(answer.text.matches(of: /<li><a class="film"/).count == 4)
        #expect(fixture.asked.withLock { $0 }.isEmpty)
    }

    @Test func `a list that does not gives a skeleton at once, and a way on without a script`() {
        let fixture = PageFixture()
        let answer = fixture.get("/?list=tv&window=day")
        #expect(answer.status == 200)
        #expect(answer.state == "loading")
        #expect(answer.header("Cache-Control") == "no-store")
        #expect(
            answer.text.contains(
                #"<noscript><meta http-equiv="refresh" content="0; url=/?list=tv&amp;window=day&amp;wait=1">"#
            ))
        #expect(fixture.asked.withLock { $0 }.isEmpty)
    }

    @Test func `the part alone is waited for, and holds the choices that go with it`() {
        let fixture = PageFixture(upstream: .success(.films))
        let answer = fixture.get("/?list=tv&window=day&part=1")
        #expect(answer.state == "full")
        #expect(!answer.text.contains("<!doctype"))
        #expect(answer.text.contains(#"aria-current="page">Today</a>"#))
        #expect(
            fixture.asked.withLock { $0 } == [
                .init(request: "/trending/tv/day?language=en-US", mayBeOld: true)
            ])
    }

    @Test func `rows show year, score and poster, and what is missing as missing`() throws {
        let text = PageFixture(cached: .films).get("/").text
        let rows = text.split(separator: "<li>").dropFirst().map(String.init)
        #expect(rows[0].contains(#"<p class="year">1979</p>"#))
        #expect(rows[0].contains("</span> 8.1</p>"))
        #expect(rows[0].contains(#"src="/thumb/60x90/stalker.jpg?title=Stalker""#))
        #expect(
            rows[0].contains(
                "/thumb/60x90/stalker.jpg?title=Stalker&amp;dpr=3 3x\" width=\"60\" height=\"90\""))
        #expect(rows[0].contains(#"href="/film/1""#))
        #expect(!rows[1].contains("class=\"year\""))
        #expect(rows[1].contains("</span> 0.0</p>"))
        #expect(rows[2].contains("Not rated yet"))
        #expect(rows[1].contains("/placeholder/180x270?title=%3Cscript%3Ealert%281%29"))
        #expect(rows[2].contains(">Untitled</h2>"))
        #expect(rows[2].contains("/placeholder/60x90\""))
        #expect(rows[3].contains("</span> 10.0</p>"))
        #expect(rows[3].contains(#"href="/series/4""#))
    }

    @Test func `a poster's place has its tint until it comes, without an inline style`() {
        let tint = Tint(red: 0x12, green: 0xAB, blue: 0)
        let rows = PageFixture(cached: .films, tint: tint).get("/").text.split(separator: "<li>")
        #expect(rows[1].contains("fill=\"#12ab00\"/></svg><img"))
        // A path that is none of ours is asked about nowhere.
        #expect(!rows[2].contains("fill="))
        #expect(!PageFixture(cached: .films).get("/").text.contains("fill="))
    }

    @Test func `text from upstream is never markup`() {
        let text = PageFixture(cached: .films).get("/").text
        #expect(text.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
        #expect(!text.contains("<script>alert"))
        #expect(!text.contains("onerror=\""))
    }

    @Test(
        "an error says what failed and what to do, with the relay's status",
        arguments: [
            (ListError.keyMissing, 502, "no key"), (.keyRefused, 502, "refused the key (401)"),
            (.planEnded, 502, "plan has ended"), (.status(500), 502, "failed (500)"),
            (.rateLimited(retryAfterSeconds: 17), 503, "17 seconds"),
            (.invalid("x"), 502, "sent no list"),
        ])
    func failure(error: ListError, status: Int, words: String) {
        let fixture = PageFixture(upstream: .failure(error))
        let page = fixture.get("/?wait=1")
        #expect(page.status == status)
        #expect(page.state == "error")
        #expect(page.text.contains(words))
        #expect(page.header("Cache-Control") == "no-store")
        #expect(page.header("ETag") == nil)
        #expect(
            page.header("Retry-After")
                == (error == .rateLimited(retryAfterSeconds: 17) ? "17" : nil))
        // The script shows the same; a status that is an error would fill the console.
        let part = fixture.get("/?part=1")
        #expect(part.status == 200 && part.text.contains(words))
    }

    @Test func `during an outage the last good list is shown, and said to be old`() {
        let stale = ListAnswer.json(
            #"{"results": [{"id": 1, "title": "Stalker"}]}"#, source: .stale(.status(503)),
            ageSeconds: 7200)
        let answer = PageFixture(upstream: .success(stale)).get("/?wait=1")
        #expect(answer.status == 200)
        #expect(answer.state == "stale")
        #expect(answer.text.contains("failed (503)"))
        #expect(answer.text.contains(">Stalker</h2>"))
        #expect(answer.text.contains("Sun, 29 Nov 2026 22:00:00 GMT"))
    }

    @Test(
        "an empty list and no list are told apart",
        arguments: [
            (#"{"results": []}"#, "empty"), ("{}", "error"), ("<html>", "error"), ("", "error"),
        ])
    func odd(json: String, state: String) {
        #expect(PageFixture(cached: .json(json)).get("/").state == state)
    }

    @Test func `a request for a fresh list asks upstream, then leads to an address that does not`()
    {
        let old = ListAnswer.json(#"{"results": [{"id": 1}]}"#, ageSeconds: 61)
        let fixture = PageFixture(cached: old, upstream: .success(.films))
        let answer = fixture.get("/?fresh=1")
        #expect(answer.status == 303)
        #expect(answer.header("Location") == "/?list=movie&window=week")
        #expect(
            fixture.asked.withLock { $0 } == [
                .init(request: "/trending/movie/week?language=en-US", mayBeOld: false)
            ])
    }

    @Test func `a list of the last minute is not asked for again, whoever requests it`() {
        let young = ListAnswer.json(#"{"results": [{"id": 1}]}"#, ageSeconds: 59)
        let fixture = PageFixture(cached: young, upstream: .success(young))
        _ = fixture.get("/?fresh=1&part=1")
        #expect(fixture.asked.withLock { $0.map(\.mayBeOld) } == [true])
    }

    @Test func `nothing inline runs or styles, and nothing comes from elsewhere`() {
        for target in ["/", "/?wait=1", "/film/1"] {
            let answer = PageFixture(cached: .films).get(target)
            let policy = answer.header("Content-Security-Policy") ?? ""
            #expect(policy.hasPrefix("default-src 'none'") && !policy.contains("unsafe"))
            #expect(!answer.text.contains(/<style|\sstyle=|\son[a-z]+=|javascript:/))
            #expect(!answer.text.contains(/<script(?![^>]*src="\/assets)/))
            #expect(!answer.text.contains(/(src|href|srcset|action)="(https?:|\/\/)/))
        }
    }

    @Test func `page and assets together stay under 40 kB`() {
        let films = (1...20).map {
            #"{"id": \#($0), "title": "A title of a usual length", "poster_path": "/abcdefghijklmnopqrstuvwxyz0.jpg", "vote_average": 7.5, "release_date": "2026-01-01"}"#
        }
        let list = ListAnswer.json(#"{"results": [\#(films.joined(separator: ","))]}"#)
        let fixture = PageFixture(cached: list)
        let sizes = ["/", "/assets/page.css", "/assets/page.js", "/assets/icon.svg"].map {
            fixture.get($0).body.count
        }
        #expect(sizes.reduce(0, +) < 40_000)
    }

    @Test(
        "assets have their type and a tag of their bytes",
        arguments: [
            ("/assets/page.css", "text/css; charset=utf-8"),
            ("/assets/page.js", "text/javascript; charset=utf-8"),
            ("/assets/icon.svg", "image/svg+xml"),
        ])
    func asset(path: String, type: String) {
        let answer = PageFixture().get(path)
        #expect(answer.status == 200 && !answer.body.isEmpty)
        #expect(answer.header("Content-Type") == type)
        #expect(answer.header("ETag") == "\"\(ContentHash(of: answer.body))\"")
        #expect(PageFixture(cached: .films).get("/").text.contains("\"\(path)?v="))
    }

    @Test func `every slot of the template is filled`() {
        #expect(!PageFixture(cached: .films).get("/").text.contains("{{"))
        #expect(!PageFixture().get("/nothing").text.contains("{{"))
    }

    @Test(
        "an address that leads nowhere is 404",
        arguments: [
            "/assets/", "/assets/page.html", "/film/", "/film/x", "/film/01", "/film/-1",
            "/film/+1", "/film/1/2", "/series/99999999999999999999",
        ])
    func nowhere(path: String) {
        let fixture = PageFixture(cached: .films)
        #expect(TrendingPage.owns(path: path))
        #expect(fixture.get(path).status == 404)
        #expect(fixture.asked.withLock { $0 }.isEmpty)
    }
}
