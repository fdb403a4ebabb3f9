import Amodb
import Testing

@testable import PosterServer

@Suite struct PosterImageTests {
    private func source(_ film: Film) -> String {
        let html = PosterImage(film: film, width: 60, height: 90).html.text
        return html.firstMatch(of: /src="([^"]*)"/).map { String($0.1) } ?? ""
    }

    @Test func `a title is cut to what a placeholder and a request line take`() {
        let long = source(
            Film(id: 1, title: String(repeating: "語", count: 500), posterPath: "/a.jpg"))
        #expect(long == "/thumb/60x90/a.jpg?title=" + String(repeating: "%E8%AA%9E", count: 200))
        let tower = source(
            Film(
                id: 1, title: "a" + String(repeating: "\u{301}", count: 5000), posterPath: "/a.jpg")
        )
        #expect(tower == "/thumb/60x90/a.jpg")
    }

    @Test func `control characters do not reach the address`() {
        #expect(
            source(Film(id: 1, title: "a\r\n\u{0}b&c=d", posterPath: "/a.jpg"))
                == "/thumb/60x90/a.jpg?title=ab%26c%3Dd")
    }

    @Test(
        "a path that is none of ours gives a placeholder",
        arguments: [
            nil, "", "null", "//evil.example/a.jpg", "/../a.jpg", "https://x/a.jpg", "/a.svg",
        ])
    func placeholder(path: String?) {
        #expect(source(Film(id: 1, title: "A", posterPath: path)) == "/placeholder/60x90?title=A")
    }
}
