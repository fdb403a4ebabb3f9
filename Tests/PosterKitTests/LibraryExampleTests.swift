import Amodb
import Foundation
import PosterBase
import PosterImages
import PosterKit
import Testing
import TestSupport

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
            let answer = try await posters.answer(
                PosterRequest(try film.poster(), .thumbnail(thumbnail)))
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

    @Test func `the README shows what compiles here`() throws {
        let here = URL(filePath: #filePath)
        var root = here
        for _ in 0..<3 { root.deleteLastPathComponent() }
        let readMe = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let shown = try #require(readMe.components(separatedBy: "```swift\n").dropFirst().first)
            .components(separatedBy: "```")[0].components(separatedBy: "import PosterKit\n")
        let program = root.appending(path: "Tests/LibraryExample/main.swift")
        for file in [here, program] {
            let compiled = try String(contentsOf: file, encoding: .utf8)
            #expect(compiled.bare.contains(try #require(shown.last).bare), "\(file.path)")
        }
    }

    /// The README's example to the letter. It would ask the real film API, so it only compiles.
    private func example(key: String) async throws {
        var configuration = Configuration(cacheDirectory: "/var/cache/films")
        configuration.apiKey = Secret(key)
        let (lists, posters) = (try ListStore(configuration), try PosterStore(configuration))

        let week = try await lists.answer(
            ListRequest(list: "trending/movie/week", language: "en-US"))
        let thumbnail = try ThumbnailVariant(width: 120, height: 180)
        for film in try FilmList(json: week.body).films {
            let answer = try await posters.answer(
                PosterRequest(try film.poster(), .thumbnail(thumbnail)))
            switch answer.state {
            case .fresh: print(film.title ?? "", answer.picture?.bytes.count ?? 0, "bytes")
            case .absent(let why): print(film.title ?? "", "placeholder:", why)
            default: print(film.title ?? "", "an older or smaller one, because upstream fails")
            }
        }
    }
}

extension String {
    /// Without spaces and line ends, which a formatter puts where it likes.
    fileprivate var bare: String { filter { !$0.isWhitespace } }
}
