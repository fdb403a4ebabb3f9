import Amodb
import PosterImages
import PosterKit
import Testing

@testable import PosterServer

@Suite struct ImageParametersTests {
    static let path = PosterPath.sample

    @Test(
        "without a parameter that asks for another look, the poster itself is asked for",
        arguments: [nil, "", "title=Heat", "fallback=error", "title=a+b&fallback=placeholder"]
            as [Substring?])
    func poster(query: Substring?) throws {
        let request = try ImageParameters.request(poster: Self.path, size: .w342, query: query)
        #expect(request.rendition == .poster(.w342))
        #expect(request.drawsPlaceholder == (query != "fallback=error"))
    }

    @Test(
        "a parameter of look makes a thumbnail of that very size",
        arguments: [
            ("w=120&h=180", "120x180-cover-q82-w342.jpeg"),
            ("w=120", "120x-contain-q82-w342.jpeg"),
            ("h=180&fit=contain", "x180-contain-q82-w342.jpeg"),
            ("w=120&h=180&dpr=2", "240x360-cover-q82-w342.jpeg"),
            ("w=100&h=150&dpr=2.625", "263x394-cover-q82-w342.jpeg"),
            ("w=120&h=180&dpr=1.100000023841858", "132x198-cover-q82-w342.jpeg"),
            ("w=120&h=180&q=1", "120x180-cover-q1-w342.jpeg"),
            ("w=120&h=180&q=%31%30", "120x180-cover-q10-w342.jpeg"),
            ("format=png", "342x-contain-q82-w342.png"),
            ("w=60&h=90&q=50&format=webp", "60x90-cover-q50-w342.webp"),
            ("w=2000&h=2000&dpr=1", "2000x2000-cover-q82-w342.jpeg"),
            ("w=1000&h=1500&dpr=2", "2000x3000-cover-q82-w342.jpeg"),
        ] as [(Substring, String)])
    func thumbnail(query: Substring, variant: String) throws {
        let request = try ImageParameters.request(poster: Self.path, size: .w342, query: query)
        #expect(request.rendition == .thumbnail(try #require(ThumbnailVariant(variant))))
    }

    @Test func `a thumbnail by its box is bound to no poster size`() throws {
        let request = try ImageParameters.request(
            thumbnail: Self.path, width: 120, height: 180, query: "dpr=1.5&fit=contain&format=png")
        #expect(
            request.rendition
                == .thumbnail(try #require(ThumbnailVariant("180x270-contain-q82.png"))))
    }

    @Test(
        "a title is decoded as forms and scripts write it",
        arguments: [
            ("title=Spirited+Away", "Spirited Away"), ("title=Spirited%20Away", "Spirited Away"),
            ("title=%E5%8D%83%E3%81%A8%E5%8D%83%E5%B0%8B", "千と千尋"),
            ("title=%F0%9F%8E%AC", "🎬"), ("title=%3Cb%3E%26amp%3B", "<b>&amp;"),
            ("title=1%2B1", "1+1"), ("title=a=b", "a=b"),
        ] as [(Substring, String)])
    func title(query: Substring, title: String) throws {
        #expect(
            try ImageParameters.request(poster: nil, size: .w185, query: query).title == title)
        #expect(
            try ImageParameters.placeholder(width: 1, height: 1, query: query).title == title)
    }
}
