import Testing

@testable import PosterServer

@Suite struct PageChoiceTests {
    private func choice(
        _ query: String = "", acceptLanguage: String? = nil, cookie: String? = nil
    ) -> PageChoice {
        PageChoice(
            PageRequest(path: "/", query: query, acceptLanguage: acceptLanguage, cookie: cookie))
    }

    @Test func `this week's films are what a plain address shows`() {
        #expect(choice().list == "trending/movie/week")
    }

    @Test(
        "values that are none are as if they were not there",
        arguments: ["list=x&window=month", "utm_source=a", "=&&", "list", "list=&window=", "%00=1"])
    func strange(query: String) {
        #expect(choice(query).list == "trending/movie/week")
    }

    @Test(
        "the query's language wins over the cookie's, that over the browser's",
        arguments: [
            ("language=ru-RU", "onesheet-language=de-DE", "fr-FR", "ru-RU"),
            ("", "a=b; onesheet-language=de-DE", "fr-FR", "de-DE"),
            ("language=%3Cscript", "onesheet-language=\"x", "fr-CH, fr;q=0.9, en;q=0.8", "fr-CH"),
            ("", "", "en;q=0.1, pt-BR;q=0.7, *;q=0.9", "pt-BR"),
            ("", "", "de;q=0", "en-US"),
            ("", "", "*", "en-US"), ("", "", "", "en-US"), ("", "", "../../x, de\r\n", "en-US"),
        ])
    func language(query: String, cookie: String, accept: String, tag: String) {
        #expect(choice(query, acceptLanguage: accept, cookie: cookie).language.tag == tag)
    }

    @Test(
        "a tag that is none is refused",
        arguments: [
            "", "x", "en_US", "en-", "-en", "en-US-x", "en US", "рус", "a-b", "english",
            "en-US-variant1-variant2-more", "en\u{301}",
        ])
    func noTag(text: String) {
        #expect(PageLanguage(text) == nil)
    }

    @Test func `links name the language only where the address did`() {
        #expect(choice("language=ru-RU&list=tv").address == "/?list=tv&window=week&language=ru-RU")
        #expect(choice("", acceptLanguage: "ru-RU").address == "/?list=movie&window=week")
        #expect(choice("language=ru-RU").address(ofFilm: 5, .tv) == "/series/5?language=ru-RU")
    }

    @Test func `a language that somebody chose is kept in a cookie, once`() {
        let fixture = PageFixture(cached: .films)
        let chosen = fixture.get("/?language=ru-RU")
        #expect(
            chosen.header("Set-Cookie")
                == "onesheet-language=ru-RU; Path=/; Max-Age=31536000; SameSite=Lax; HttpOnly")
        let kept = fixture.get("/?language=ru-RU", cookie: "onesheet-language=ru-RU")
        #expect(kept.header("Set-Cookie") == nil)
        #expect(fixture.get("/", acceptLanguage: "ru-RU").header("Set-Cookie") == nil)
        #expect(chosen.header("Vary") == "Accept-Language, Cookie")
    }

    @Test func `a language that is not offered is offered to whoever uses it`() {
        let page = PageFixture(cached: .films).get("/", acceptLanguage: "sw")
        #expect(page.text.contains(#"<option value="sw" selected>sw</option>"#))
        let close = PageFixture(cached: .films).get("/", acceptLanguage: "de-AT")
        #expect(close.text.contains(#"<option value="de-DE" lang="de-DE" selected>"#))
    }
}
