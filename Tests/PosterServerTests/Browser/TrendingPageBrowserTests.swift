import Foundation
import Testing

@testable import FixtureOrigin
@testable import PosterKit
@testable import PosterServer

extension InBrowser {
    /// The page against the stand-in upstream.
    @Suite struct TrendingPageTests {
        private let site: TestSite
        private let browser: Browser
        private let list = "/3/trending/movie/week"
        private var base: String { "http://127.0.0.1:\(site.server.port)" }

        init() throws {
            site = try TestSite(store: { $0.requestsPerSecond = 0 })
            browser = try SharedBrowser.current
        }

        @Test func `skeletons stand there until the list comes, then films with their posters`()
            throws
        {
            site.origin.hold(at: list)
            let page = try BrowserPage(browser)
            try page.visit("\(base)/")
            try page.wait(forState: "loading")
            #expect(try page.number("document.querySelectorAll('.waiting .bone').length") > 10)
            try page.keepScreenshot("loading")
            #expect(site.origin.waitUntilHeld(list))
            site.origin.release(at: list)

            try page.wait(forState: "full")
            #expect(try page.number("document.querySelectorAll('.films > li').length") == 20)
            #expect(try page.text("document.title") == "Trending films, this week")
            #expect(try page.text("document.getElementById('said').textContent") == "20 titles")
            _ = try page.evaluate("document.images[19].scrollIntoView()")
            try page.wait(
                for: "every picture",
                "[...document.images].every((i) => i.complete && i.naturalWidth)")
            #expect(page.errors == [])
            #expect(page.requests.allSatisfy { $0.hasPrefix(base) })
        }

        @Test func `without scripts the list comes all the same`() throws {
            let page = try BrowserPage(browser, runsScripts: false)
            try page.call("Page.navigate", ["url": "\(base)/"])
            // The skeleton leads on to a page that waits for upstream.
            #expect(site.origin.waitUntilRequested(list))
            try browser.wait(for: "the list") {
                try page.html.contains(#"data-state="full""#) ? true : nil
            }
            try page.keepScreenshot("without-scripts")
        }

        @Test func `a list in the first answer needs no second request`() throws {
            _ = try site.get("/?wait=1")
            let page = try BrowserPage(browser)
            try page.visit("\(base)/")
            try page.wait(forState: "full")
            #expect(!page.requests.contains { $0.contains("part=1") })
            #expect(try page.number(Self.layoutShift) < 0.01)
            #expect(site.origin.requests(to: list) == 1)
            // When the rows are painted, for people: machines are too different for a limit. On
            // the second visit, because the first one starts a process of the browser's.
            try page.visit("\(base)/")
            try page.wait(for: "a paint", "\(Self.firstPaint) !== undefined")
            try page.keepFigure(
                "first-paint", try page.number("\(Self.firstPaint).startTime"), "ms")
        }

        @Test func `choices swap the list, go back, and ask once for each`() throws {
            let page = try BrowserPage(browser)
            try page.visit("\(base)/")
            try page.wait(forState: "full")
            _ = try page.evaluate(
                "globalThis.sameDocument = true; document.getElementById('to-series').click()")
            try page.wait(for: "series", "document.title.startsWith('Trending series')")
            #expect(
                try page.text("document.querySelector('[aria-current]').textContent") == "Series")
            #expect(try page.text("location.search") == "?list=tv&window=week")
            _ = try page.evaluate("history.back()")
            try page.wait(for: "films", "document.title.startsWith('Trending films')")
            #expect(
                try page.text("document.querySelector('[aria-current]').textContent") == "Films")
            _ = try page.evaluate("history.forward()")
            try page.wait(for: "series", "document.title.startsWith('Trending series')")
            #expect(try page.isTrue("globalThis.sameDocument"))
            #expect(page.requests.filter { $0.contains("part=1") }.count == 2)
            #expect(page.errors == [])
        }

        @Test func `after 30 minutes a list is asked for again when somebody looks`() throws {
            let page = try BrowserPage(browser)
            try page.visit("\(base)/")
            try page.wait(forState: "full")
            let look = "document.dispatchEvent(new Event('visibilitychange'))"
            _ = try page.evaluate(look)
            #expect(page.requests.filter { $0.contains("part=1") }.count == 1)
            let now = "Date.now = ((real) => () => real() + 31 * 60 * 1000)(Date.now)"
            _ = try page.evaluate("\(now); \(look)")
            try page.wait(for: "the list", "document.body.classList.contains('busy') === false")
            #expect(page.requests.filter { $0.contains("part=1") }.count == 2)
        }

        @Test func `the reload button asks the server, and announces the list`() throws {
            let page = try BrowserPage(browser)
            try page.visit("\(base)/")
            try page.wait(forState: "full")
            _ = try page.evaluate("document.getElementById('said').textContent = ''")
            _ = try page.evaluate("document.querySelector('.bar .again').click()")
            try page.wait(
                for: "the announcement",
                "document.getElementById('said').textContent === '20 titles'")
            #expect(page.requests.contains { $0.hasSuffix("part=1&fresh=1") })
        }

        @Test func `a language is chosen, shown, and kept`() throws {
            let page = try BrowserPage(browser)
            try page.visit("\(base)/")
            try page.wait(forState: "full")
            #expect(try page.text("document.querySelector('.films').lang") == "en-US")
            let choose = """
                const list = document.querySelector('select'); list.value = 'ru-RU';
                list.dispatchEvent(new Event('change', { bubbles: true }))
                """
            _ = try page.evaluate(choose)
            try page.wait(for: "Russian", "document.querySelector('.films')?.lang === 'ru-RU'")
            #expect(try page.text("document.querySelector('select').value") == "ru-RU")
            try page.keepScreenshot("russian")
            try page.visit("\(base)/")
            try page.wait(for: "Russian", "document.querySelector('.films')?.lang === 'ru-RU'")
            #expect(page.errors == [])
        }

        @Test func `a film's page shows ratings and cast, and leads back`() throws {
            let page = try BrowserPage(browser)
            try page.visit("\(base)/")
            try page.wait(forState: "full")
            _ = try page.evaluate("document.querySelector('a.film').click()")
            try page.wait(for: "the film", "location.pathname.startsWith('/film/')")
            try page.wait(forState: "full")
            #expect(try page.number("document.querySelectorAll('.ratings tr').length") == 5)
            #expect(try page.number("document.querySelectorAll('.cast li').length") > 0)
            #expect(try page.number("document.images[0].naturalWidth") > 0)
            try page.keepScreenshot("film")
            _ = try page.evaluate("document.querySelector('.bar .button').click()")
            try page.wait(for: "the list", "location.pathname === '/'")
            try page.wait(forState: "full")
            #expect(page.errors == [])
        }

        /// The first paint with content; the rows are in the document that it shows.
        private static let firstPaint =
            "performance.getEntriesByName('first-contentful-paint')[0]"

        private static let layoutShift = """
            new Promise((done) => new PerformanceObserver((list) =>
                done(list.getEntries().reduce((sum, entry) => sum + entry.value, 0))
            ).observe({ type: 'layout-shift', buffered: true }) || setTimeout(() => done(0), 300))
            """
    }
}
