import Foundation
import Testing

@testable import FixtureOrigin
@testable import PosterKit
@testable import PosterServer

extension InBrowser {
    /// How the page looks, narrow and wide, light and dark, and to people who do not see it.
    @Suite struct PageLooksTests {
        private let site: TestSite
        private let browser: Browser
        private var base: String { "http://127.0.0.1:\(site.server.port)" }

        init() throws {
            site = try TestSite(store: { $0.requestsPerSecond = 0 })
            browser = try SharedBrowser.current
            _ = try site.get("/?wait=1")
        }

        @Test(
            "posters are 60×90 with round corners and sharp, nothing hangs over, all can be read")
        func looks() throws {
            for (width, density) in [(320, 3), (390, 2), (768, 1), (1280, 1)] {
                try look(width: width, density: density)
            }
        }

        private func look(width: Int, density: Int) throws {
            let page = try BrowserPage(browser, width: width, height: 844, density: density)
            try page.visit("\(base)/")
            try page.wait(forState: "full")
            #expect(try page.isTrue("document.documentElement.scrollWidth <= innerWidth"))
            let box = "document.querySelector('.poster').getBoundingClientRect()"
            #expect(try page.number("\(box).width") == 60)
            #expect(try page.number("\(box).height") == 90)
            #expect(
                try page.text("getComputedStyle(document.querySelector('.poster')).borderRadius")
                    == "6px")
            let source = try page.text("document.images[0].currentSrc")
            #expect(source.contains("dpr=\(density)") == (density > 1))
            #expect(try page.number("document.images[0].naturalWidth") == 60)
            try read(page, "list-%-\(width)")

            try page.visit("\(base)/film/90520540?wait=1")
            #expect(try page.isTrue("document.documentElement.scrollWidth <= innerWidth"))
            try read(page, "film-%-\(width)")
        }

        /// Whether all texts stand out from their ground, in the light and in the dark.
        private func read(_ page: BrowserPage, _ name: String) throws {
            var grounds: Set<String> = []
            for scheme in ["light", "dark"] {
                try page.prefer(dark: scheme == "dark")
                grounds.insert(
                    try page.text("getComputedStyle(document.body).backgroundColor"))
                #expect(try page.evaluate(Self.faintTexts) as? [String] == [])
                try page.keepScreenshot(name.replacing("%", with: scheme))
            }
            #expect(grounds.count == 2)
        }

        @Test func `a screen reader hears names for all that can be used, and no picture twice`()
            throws
        {
            let page = try BrowserPage(browser)
            try page.visit("\(base)/")
            try page.wait(forState: "full")
            let tree =
                try page.call("Accessibility.getFullAXTree")["nodes"] as? [[String: Any]] ?? []
            func value(_ node: [String: Any], _ key: String) -> String {
                (node[key] as? [String: Any])?["value"] as? String ?? ""
            }
            let seen = tree.filter { $0["ignored"] as? Bool != true }
            let usable = seen.filter {
                ["link", "button", "combobox"].contains(value($0, "role"))
            }
            #expect(usable.count >= 26)
            #expect(usable.allSatisfy { !value($0, "name").isEmpty })
            #expect(!seen.contains { ["image", "img"].contains(value($0, "role")) })
            let roles = Set(seen.map { value($0, "role") })
            #expect(
                roles.isSuperset(of: ["banner", "navigation", "main", "list", "heading", "status"]))
            let films = usable.map { value($0, "name") }.filter { $0.contains("Score") }
            #expect(films.count > 10)
            #expect(try page.number("document.querySelectorAll('h1').length") == 1)
            #expect(try page.isTrue("document.documentElement.lang !== ''"))
            #expect(
                try page.isTrue(
                    "new Set([...document.querySelectorAll('[id]')].map((e) => e.id)).size === document.querySelectorAll('[id]').length"
                ))
        }

        @Test func `everything is reached by keyboard, the films past a skip link`() throws {
            let page = try BrowserPage(browser)
            try page.visit("\(base)/")
            try page.wait(forState: "full")
            var reached: [String] = []
            for _ in 0..<10 {
                try page.press("Tab", code: 9)
                reached.append(
                    try page.text(
                        "document.activeElement.id || document.activeElement.className || document.activeElement.name"
                    ))
            }
            #expect(
                reached == [
                    "skip", "to-films", "to-series", "to-today", "to-thisweek", "language",
                    "button again", "film", "film", "film",
                ])
            #expect(
                try page.isTrue("getComputedStyle(document.activeElement).outlineStyle === 'solid'")
            )
            try page.press("Enter", code: 13)
            try page.wait(for: "the film", "location.pathname.startsWith('/film/')")
        }

        @Test func `focus stays on a choice when its list comes`() throws {
            let page = try BrowserPage(browser)
            try page.visit("\(base)/")
            try page.wait(forState: "full")
            _ = try page.evaluate("document.getElementById('to-series').focus()")
            try page.press("Enter", code: 13)
            try page.wait(for: "series", "document.title.startsWith('Trending series')")
            #expect(try page.text("document.activeElement.id") == "to-series")
        }

        /// The texts whose colour is less than 4.5 to 1 from the nearest ground that is painted.
        private static let faintTexts = """
            (() => {
              const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
                .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
                .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
              const parts = (color) => color.match(/[\\d.]+/g).map(Number);
              const ground = (element) => {
                for (let e = element; e; e = e.parentElement) {
                  const color = parts(getComputedStyle(e).backgroundColor);
                  if (color.length === 3 || color[3] === 1) return color;
                }
                return [255, 255, 255];
              };
              const faint = [];
              for (const element of document.body.querySelectorAll('*')) {
                const own = [...element.childNodes]
                  .some((node) => node.nodeType === 3 && node.textContent.trim());
                if (!own || element.closest('.unseen, .skip, noscript, option')) continue;
                const [a, b] = [light(parts(getComputedStyle(element).color)), light(ground(element))];
                const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
                if (ratio < 4.5) faint.push(element.className + ' ' + element.textContent + ' ' + ratio);
              }
              return faint;
            })()
            """
    }
}
