import Testing
import TestSupport

@testable import FixtureOrigin
@testable import PosterServer

/// What no path may be, sent raw: nothing of it reaches disk or upstream.
@Suite struct RefusedPathsTests {
    /// A target and the status that it gets.
    struct Spelling: CustomTestStringConvertible, Sendable {
        var target: [UInt8]
        var status: Int
        var testDescription: String { String(decoding: target, as: UTF8.self) }

        init(_ status: Int, _ target: String) {
            self.target = Array(target.utf8)
            self.status = status
        }

        init(_ status: Int, bytes: [UInt8]) {
            target = Array("/t/p/w342/".utf8) + bytes + Array(".jpg".utf8)
            self.status = status
        }
    }

    /// Names of a poster that are none.
    static let names: [String] = [
        "..", ".", "...", "../abc.jpg", "..%2fabc.jpg", "%2e%2e", "%2e%2e%2fabc.jpg",
        "%2E%2E/abc.jpg",
        "%252e%252e%252fabc.jpg", "..%5cabc.jpg", "..\\abc.jpg", "%5c..%5cabc.jpg", "\\abc.jpg",
        "%c0%ae%c0%ae/abc.jpg", "%e0%80%ae%e0%80%ae/abc.jpg", "%uff0e%uff0e/abc.jpg", "..;/abc.jpg",
        ";/../abc.jpg", "./abc.jpg", "/abc.jpg", "//abc.jpg", "a/b.jpg", "abc.jpg/", "abc.jpg/.",
        "abc.jpg/..", "abc.jpg%00", "abc%00.jpg", "%00", "abc.jpg%0d%0aX:y", "%0aabc.jpg",
        "%0d.jpg",
        "%zz.jpg", "%.jpg", "abc%2.jpg", "%61bc.jpg", "abc%2ejpg", "%e2%80%ae.jpg", "abc.jpg.jpg",
        "abc.JPG", "abc.Jpg", "abc.svg", "abc.gif", "abc.webp", "abc.html", "abc.jpg.html",
        "abc.jpe",
        "abc", "abc.", ".jpg", "jpg", "a.b.jpg", "abc%20.jpg", "abc+.jpg", "a~b.jpg", "a*b.jpg",
        "a:b.jpg", "a@b.jpg", "a,b.jpg", "a;b.jpg", "a=b.jpg", "a&b.jpg", "a$b.jpg", "a!b.jpg",
        "a'b.jpg", "a(b).jpg", "http:abc.jpg", "http://evil/abc.jpg", "https:%2f%2fevil%2fabc.jpg",
        "null.jpg.", "NULL", "nil", "undefined", "None", "NaN", "[object%20Object]", "null/",
        "null/abc.jpg", "null%00", String(repeating: "a", count: 129) + ".jpg",
        String(repeating: "a", count: 500) + ".jpg", String(repeating: "../", count: 40) + "a.jpg",
    ]

    static let spellings =
        [Spelling(400, "/t/p/w342/")] + names.map { Spelling(400, "/t/p/w342/\($0)") }
        + names.prefix(20).map { Spelling(400, "/thumb/120x180/\($0)") }
        + [
            // Sizes.
            "w184", "w0342", "W342", "w342%20", "w780", "original", "w342_filter(duotone)", "342",
            "w342.", "w342x", "w", "..", "%77342", "w92", "nullnull", "w342nullnull",
        ].map { Spelling(400, "/t/p/\($0)/abc.jpg") }
        + [
            // Boxes.
            "0x180", "120x0", "120x", "x180", "120", "120X180", "120x180x1", "-1x180", "+1x180",
            "1.5x180", "1e3x180", "0x78x180", "0120x180", "2001x180", "120x2001", "99999999999x1",
            "120×180", "120%78180", " 120x180", "١٢٠x١٨٠", "NaNxNaN", "120x180;", "120*180",
        ].map { Spelling(400, "/thumb/\($0)/abc.jpg") }
        + ["0x1", "1x0", "2001x1", "1x2001", "x", "1", "1x1/", "1x1/abc.jpg", "null"].map {
            Spelling(400, "/placeholder/\($0)")
        }
        + [
            // Routes that are none.
            "/t", "/t/", "/t/p", "/T/p/w342/abc.jpg", "/t/P/w342/abc.jpg", "/t//p/w342/abc.jpg",
            "/t/p%2fw342%2fabc.jpg", "/t/./p/w342/abc.jpg", "/x/../t/p/w342/abc.jpg", "/thumb",
            "/Thumb/1x1/abc.jpg", "/thumbs/1x1/abc.jpg", "/placeholder", "/metrics/", "/healthz/",
            "/readyz/x", "/.git/config", "/etc/passwd", "/../etc/passwd", "/%2e%2e/etc/passwd",
            "/..%2fetc%2fpasswd", "/posters/w342/ab/abc.jpg", "/cache", "/4/movie", "/30/movie",
            "/index.php", "/favicon.ico", "/robots.txt", "/.well-known/security.txt",
        ].map { Spelling(404, $0) }
        + [
            // Targets that are none.
            "//evil.example/t/p/w342/abc.jpg", "t/p/w342/abc.jpg", "*", "evil.example:80",
            "http://evil.example", "http://", "http:///t/p/w342/abc.jpg",
            "ftp://x/t/p/w342/abc.jpg",
            "file:///t/p/w342/abc.jpg", "/t/p/w342/abc.jpg#fragment", "\\t\\p", "?", "#",
        ].map { Spelling(400, $0) }
        + [
            [0x00], [0x61, 0x00, 0x62], [0x09], [0x0D], [0x1B, 0x5B, 0x41], [0x7F], [0x80], [0xFF],
            [0xC0, 0xAE], [0xE2, 0x80, 0xAE], [0xEF, 0xBC, 0x8E], [0xC3, 0xA4], [0x61, 0x20, 0x62],
            [0x0B], [0x0C],
        ].map { Spelling(400, bytes: $0) }

    @Test func `no spelling of a path that is none reaches disk or upstream`() throws {
        #expect(Self.spellings.count >= 120)
        let site = try TestSite()
        let before = site.directory.contents()
        for spelling in Self.spellings {
            let request =
                Array("GET ".utf8) + spelling.target
                + Array(" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".utf8)
            let response = site.exchange(request)
            #expect(response?.status == spelling.status, "\(spelling.testDescription)")
            #expect(response?.text.hasPrefix("{\"error\":{\"code\":") == true)
            #expect(response?.header("Cache-Control") == "no-store")
        }
        #expect(site.origin.totalRequests == 0)
        #expect(site.directory.contents() == before)
    }
}
