import Amodb
import PosterKit
import Testing

@testable import PosterServer

@Suite struct RouteTests {
    static let path = PosterPath.sample

    @Test(
        "a path leads to its route",
        arguments: [
            ("/t/p/w342/abc.jpg", .poster(path, .w342)),
            ("/t/p/w185/abc.jpg", .poster(path, .w185)),
            ("/thumb/120x180/abc.jpg", .thumbnail(path, width: 120, height: 180)),
            ("/thumb/1x2000/abc.jpg", .thumbnail(path, width: 1, height: 2000)),
            ("/placeholder/60x90", .placeholder(width: 60, height: 90)),
            ("/3/trending/movie/week", .relay(path: "/trending/movie/week")),
            ("/3", .relay(path: "")), ("/3/", .relay(path: "/")),
            ("/", .page(path: "/")), ("/assets/page.css", .page(path: "/assets/page.css")),
            ("/healthz", .healthz), ("/readyz", .readyz), ("/metrics", .metrics),
        ] as [(Substring, Route)])
    func leads(path: Substring, to route: Route) throws {
        #expect(try Route(path: path) == route)
    }

    @Test(
        "what a front end makes of null by blind joining is no poster",
        arguments: ["/t/p/w342/null", "/t/p/w342null", "/t/p/w342"] as [Substring])
    func nullIsNoPoster(path: Substring) throws {
        #expect(try Route(path: path) == .poster(nil, .w342))
    }

    @Test(
        "the same holds for thumbnails",
        arguments: ["/thumb/120x180/null", "/thumb/120x180null", "/thumb/120x180"] as [Substring])
    func nullIsNoThumbnail(path: Substring) throws {
        #expect(try Route(path: path) == .thumbnail(nil, width: 120, height: 180))
    }

    @Test(
        "a target in absolute form is read by its path alone",
        arguments: [
            ("http://evil.example/t/p/w342/abc.jpg", "/t/p/w342/abc.jpg", nil),
            ("HTTPS://evil.example:81/thumb/1x1/a.png?q=1", "/thumb/1x1/a.png", "q=1"),
            ("/t/p/w342/abc.jpg?w=1?2", "/t/p/w342/abc.jpg", "w=1?2"),
            ("/t/p/w342/abc.jpg?", "/t/p/w342/abc.jpg", ""),
        ] as [(String, Substring, Substring?)])
    func absoluteForm(target: String, path: Substring, query: Substring?) throws {
        let read = try RequestTarget(target)
        #expect(read.path == path)
        #expect(read.query == query)
    }
}
