import Amodb
import Testing
import TestSupport

@testable import PosterBase
@testable import PosterCache
@testable import PosterImages
@testable import PosterKit
@testable import PosterLists
@testable import PosterPlaceholders

/// Names, requests and documents from outside, at their most extreme.
@Suite struct ExtremeNamesTests {
    @Test func `a variant's name is read as it is written, or refused`() {
        for text in Extremes.filled("#x#-cover-q#.jpeg") + Extremes.filled("#x-contain-q82-w#.png")
        {
            guard let variant = ThumbnailVariant(text) else { continue }
            #expect(variant.description == text)
        }
        for width in Extremes.integers {
            for other in [nil, 1, Int(width)] as [Int?] {
                _ = try? ThumbnailVariant(width: Int(width), height: other)
                _ = try? ThumbnailVariant(width: other, height: Int(width), quality: Int(width))
            }
        }
    }

    @Test func `keys, paths and requests are read or refused`() {
        for text in Extremes.texts {
            _ = EntryKey("posters/\(text)/\(text)/\(text)")
            _ = EntryKey("thumbs/\(text)x\(text)-cover-q\(text).jpeg/Ab/AbCdEf.jpg")
            _ = try? PosterPath.parse(text)
            _ = try? ListRequest(path: text, query: text)
            _ = try? ListRequest(list: "trending/\(text)?page=\(text)", language: text)
            _ = (SealedPlace.isListName(text), TemporaryFile.isName("onesheet-\(text)-\(text)"))
            _ = try? BaseURL("http://\(text):\(text)/\(text)")
        }
        for page in Extremes.integers { _ = try? ListRequest(list: "a", page: Int(page)) }
    }

    @Test(
        "a list or a film is read or refused",
        arguments: [
            ##"{"page":#,"total_pages":#,"results":[{"id":#,"vote_average":#}]}"##,
            ##"[{"id":1,"title":"#","vote_average":#,"release_date":"#"}]"##,
            ##"{"id":#,"runtime":#,"ratings":{"imdb":{"value":#,"votes":#}}}"##, "[#]", "#",
        ])
    func documents(template: String) {
        for text in Extremes.filled(template) {
            let bytes = Array(text.utf8)
            _ = (JSONSyntax.fault(in: bytes), JSONMembers.of(bytes[...]))
            do throws(FilmListError) {
                for film in try FilmList(json: bytes).films { _ = (film.year, try? film.poster()) }
            } catch {}
            do throws(FilmListError) { _ = try FilmDetails(json: bytes).runtimeMinutes } catch {}
        }
    }

    @Test func `a document that is cut anywhere is read or refused`() {
        let document = Array(#"{"id":-1.5e+9,"a\\\"b":[{},"\u00e9\\"],"c":null}"#.utf8)
        for length in 0...document.count {
            let bytes = Array(document.prefix(length))
            _ = JSONMembers.of(bytes[...])
            #expect((JSONSyntax.fault(in: bytes) == nil) == (length == document.count))
        }
    }

    @Test func `a placeholder of any size is drawn or refused`() {
        for side in Extremes.integers {
            _ = try? PlaceholderRequest(width: Int(side), height: 1, kind: .missing)
            _ = try? PlaceholderRequest(width: 1, height: Int(side), kind: .missing)
            _ = PosterSize.smallest(coveringWidth: Int(side), height: Int(side))
        }
    }
}
