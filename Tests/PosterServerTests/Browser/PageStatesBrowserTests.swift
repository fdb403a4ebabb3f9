import Foundation
import Testing

@testable import FixtureOrigin
@testable import PosterKit
@testable import PosterServer

extension InBrowser {
    /// What the page shows when something fails.
    @Suite struct PageStatesTests {
        private let site: TestSite
        private let browser: Browser
        private let list = "/3/trending/movie/week"
        private var base: String { "http://127.0.0.1:\(site.server.port)" }

        init() throws {
            site = try Self.makeSite()
            browser = try SharedBrowser.current
        }

        /// No list is fresh for longer than it takes to be shown, so every visit asks upstream.
        private static func makeSite() throws -> TestSite {
            try TestSite(store: {
                $0.requestsPerSecond = 0
                $0.listMaxAge = .zero
                $0.listStaleWhileRevalidate = .zero
            })
        }

        struct Outage {
            let name: String
            let fault: Fault
            let words: String
        }

        private static let outages = [
            Outage(
                name: "key-refused", fault: .status(401), words: "refused the key (401)"),
            Outage(name: "plan-ended", fault: .status(402), words: "plan has ended"),
            Outage(
                name: "rate-limited",
                fault: .status(429, headers: [("Retry-After", "3600")]),
                words: "too many requests (429)"),
            Outage(name: "failed", fault: .status(500), words: "failed (500)"),
            Outage(name: "no-list", fault: .html, words: "sent no list"),
            Outage(name: "no-answer", fault: .refused, words: "gives no answer"),
        ]

        @Test func `an error names what failed, without an error on the console`() throws {
            for outage in Self.outages {
                // What fails is remembered, so each has an upstream of its own.
                let site = try Self.makeSite()
                site.origin.misbehave(at: list, outage.fault)
                let page = try BrowserPage(browser)
                try page.visit("http://127.0.0.1:\(site.server.port)/")
                try page.wait(forState: "error")
                let words = try page.text("document.querySelector('.empty').innerText")
                #expect(words.contains(outage.words))
                #expect(!(try page.text("document.getElementById('said').textContent").isEmpty))
                #expect(page.errors == [])
                try page.keepScreenshot("error-\(outage.name)")
            }
        }

        @Test func `upstream down: the last good list, said to be old`() throws {
            let page = try BrowserPage(browser)
            try page.visit("\(base)/")
            try page.wait(forState: "full")
            site.origin.goDown()
            let later = try BrowserPage(browser)
            try later.visit("\(base)/")
            try later.wait(forState: "stale")
            #expect(
                try later.text("document.querySelector('.notice').innerText").contains("no answer"))
            #expect(try later.number("document.querySelectorAll('.films > li').length") == 20)
            #expect(later.errors == [])
            try later.keepScreenshot("stale")
        }

        @Test func `an empty list is no error, and trying again brings what has come`() throws {
            site.origin.put(list, Array(#"{"page": 1, "results": []}"#.utf8))
            let page = try BrowserPage(browser)
            try page.visit("\(base)/")
            try page.wait(forState: "empty")
            try page.keepScreenshot("empty")
            site.origin.put(list, Array(#"{"page": 1, "results": [{"id": 1, "title": "A"}]}"#.utf8))
            _ = try page.evaluate("document.querySelector('#part .again').click()")
            try page.wait(forState: "full")
            #expect(page.errors == [])
        }

        @Test func `offline the list stays, with a notice, until the connection is back`() throws {
            let page = try BrowserPage(browser)
            try page.visit("\(base)/")
            try page.wait(forState: "full")
            try page.goOffline(true)
            _ = try page.evaluate("document.querySelector('.bar .again').click()")
            try page.wait(for: "the notice", "document.querySelector('#unreachable.notice')")
            #expect(
                try page.text("document.querySelector('.notice').innerText").contains(
                    "You are offline."))
            #expect(try page.number("document.querySelectorAll('.films > li').length") == 20)
            try page.keepScreenshot("offline")
            try page.goOffline(false)
            try page.wait(for: "the list", "!document.querySelector('#unreachable')")
            #expect(try page.number("document.querySelectorAll('.films > li').length") == 20)
        }

        @Test func `a server that is gone is told in the place of the list that never came`() throws
        {
            site.origin.hold(at: list)
            let page = try BrowserPage(browser)
            try page.visit("\(base)/")
            try page.wait(forState: "loading")
            try page.goOffline(true)
            _ = try page.evaluate("document.querySelector('.bar .again').click()")
            try page.wait(forState: "offline")
            #expect(try page.isTrue("document.querySelector('#unreachable.empty .again') !== null"))
            site.origin.release(at: list)
        }

        @Test func `a poster that cannot be had is a placeholder, not a broken picture`() throws {
            site.origin.misbehave(at: "/t/p/*", .status(500))
            let page = try BrowserPage(browser)
            try page.visit("\(base)/")
            try page.wait(forState: "full")
            _ = try page.evaluate("document.images[19].scrollIntoView()")
            try page.wait(
                for: "every picture",
                "[...document.images].every((i) => i.complete && i.naturalWidth)")
            #expect(page.errors == [])
            try page.keepScreenshot("no-posters")
        }
    }
}
