import Testing

@testable import FixtureOrigin
@testable import PosterBase
@testable import PosterFetch
@testable import PosterKit

@Suite struct RedirectTests {
    private static let base = "http://img.example:8080/t/p/w342/abc.jpg"

    @Test(
        "a redirect within the origin is followed",
        arguments: [
            ("/new/abc.jpg", "http://img.example:8080/new/abc.jpg"),
            ("def.jpg", "http://img.example:8080/t/p/w342/def.jpg"),
            ("?v=2", "http://img.example:8080/t/p/w342/abc.jpg?v=2"),
            ("http://img.example:8080/x.jpg#part", "http://img.example:8080/x.jpg"),
            ("HTTP://IMG.example:8080/x.jpg", "http://img.example:8080/x.jpg"),
            ("//img.example:8080/x.jpg", "http://img.example:8080/x.jpg"),
            ("/a.b/..c/d..jpg", "http://img.example:8080/a.b/..c/d..jpg"),
        ])
    func followed(location: String, target: String) throws {
        let found = try Redirect.target(of: [location], from: Self.base)
        #expect(found.lowercased() == target)
    }

    @Test(
        "a redirect to anywhere else is refused",
        arguments: [
            "http://img.example/x.jpg", "http://img.example:8081/x.jpg",
            "https://img.example:8080/x.jpg", "http://other.example:8080/x.jpg",
            "http://img.example.:8080/x.jpg", "//other.example:8080/x.jpg", "//other/x.jpg",
            "http://127.0.0.1:8080/x.jpg", "http://169.254.169.254/", "http://[::1]:8080/x.jpg",
            "http://img.example:8080@other.example/", "http://user@img.example:8080/x.jpg",
            "http://u:p@img.example:8080/x.jpg", "file:///etc/passwd", "FILE:/etc/passwd",
            "ftp://img.example:8080/x.jpg", "gopher://img.example:8080/x", "data:,x",
            "javascript:1", "", " ", "/a b.jpg", "/a\r\nX-Evil: 1", "/a\u{0}b", "\\\\other\\x",
            "/\\other.example/x", "/../x.jpg", "../x.jpg", "./x.jpg", "..", "/a/%2e%2e/x.jpg",
            "/a/.%2E/x.jpg", "/ä.jpg", "http://", "http:///x.jpg", "http://img.example:99999/",
            "http:x.jpg", "http:/x.jpg",
        ])
    func refused(location: String) {
        let error = #expect(throws: FetchError.self) {
            let target = try Redirect.target(of: [location], from: Self.base)
            Issue.record("led to \(target)")
        }
        #expect(error?.reason == .redirectRefused)
    }

    @Test func `no Location or two of them is refused`() {
        for locations in [[], ["/a.jpg", "/b.jpg"]] {
            #expect(throws: FetchError.self) {
                try Redirect.target(of: locations, from: Self.base)
            }
        }
    }

    @Test("each redirect status is followed", arguments: [301, 302, 303, 307, 308])
    func statuses(status: Int) throws {
        let upstream = try Upstream(.redirect(status, to: "/moved/abc.jpg"))
        upstream.origin.put("/moved/abc.jpg", Upstream.poster)
        #expect(try upstream.fetch().body == Upstream.poster)
    }

    @Test(
        "a chain is followed for as many steps as are allowed",
        arguments: [(1, true), (3, true), (4, false)])
    func chain(steps: Int, isFollowed: Bool) throws {
        let upstream = try Upstream(.redirect(to: "/1"))
        for step in 1..<steps {
            upstream.origin.misbehave(at: "/\(step)", .redirect(to: "/\(step + 1)"))
        }
        upstream.origin.put("/\(steps)", Upstream.poster)
        if isFollowed {
            #expect(try upstream.fetch().body == Upstream.poster)
        } else {
            let error = #expect(throws: FetchError.self) { try upstream.fetch() }
            #expect(error?.reason == .redirectRefused)
        }
        #expect(upstream.origin.totalRequests == min(steps, 3) + 1)
    }

    @Test func `a circle is left when it closes`() throws {
        let upstream = try Upstream(.redirect(to: "/1"))
        upstream.origin.misbehave(at: "/1", .redirect(to: Upstream.path))
        let error = #expect(throws: FetchError.self) { try upstream.fetch() }
        #expect(error?.reason == .redirectRefused)
        #expect(upstream.origin.totalRequests == 2)
    }

    @Test func `another port of the host is never asked`() throws {
        let other = try Upstream()
        for location in [other.url, "http://localhost:\(other.origin.port)/"] {
            let upstream = try Upstream(.redirect(to: location))
            #expect(throws: FetchError.self) { try upstream.fetch() }
        }
        #expect(other.origin.acceptedConnections == 0)
    }

    @Test func `a request with a key follows no redirect at all`() throws {
        let upstream = try Upstream(.redirect(to: "/1"))
        upstream.origin.put("/1", Upstream.poster)
        var request = upstream.request()
        request.bearer = Secret(Upstream.key)
        let error = #expect(throws: FetchError.self) { try upstream.fetch(request) }
        #expect(error?.reason == .redirectRefused)
        #expect(upstream.origin.totalRequests == 1)
    }
}
