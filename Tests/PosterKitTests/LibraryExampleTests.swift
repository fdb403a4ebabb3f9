import Amodb
import PosterKit
import TestSupport
import Testing

@testable import FixtureOrigin

/// The library example of the README, so that it keeps compiling and doing what it says.
@Suite struct LibraryExampleTests {
    @Test func `a trending list and a thumbnail of each film in a dozen lines`() async throws {
        let origin = try Origin(fixtures: Fixtures.folder, key: "fixture-key")
        defer { origin.stop() }
        let folder = TemporaryDirectory()

        var configuration = Configuration(cacheDirectory: folder.path)
        configuration.imageBase = try BaseURL(origin.imageBase)
        configuration.apiBase = try BaseURL(origin.apiBase)
        configuration.apiKey = Secret("fixture-key")
        let (lists, posters) = (try ListStore(configuration), try PosterStore(configuration))
        defer {
            lists.close()
            posters.close()
        }

        let week = try await lists.answer(
            ListRequest(list: "trending/movie/week", language: "en-US"))
        let thumbnail = try ThumbnailVariant(width: 120, height: 180)
        var (thumbnails, placeholders) = (0, 0)
        for film in try FilmList(json: week.body).films {
            let answer = await posters.answer(Wish(try film.poster(), .thumbnail(thumbnail)))
            switch answer.state {
            case .fresh: thumbnails += 1
            case .absent(.noPoster): placeholders += 1
            default: Issue.record("\(film.title ?? ""): \(answer.state)")
            }
            #expect(answer.picture?.bytes.isEmpty == false)
        }
        #expect(thumbnails + placeholders == 20)
        #expect(placeholders == 2)
    }
}
