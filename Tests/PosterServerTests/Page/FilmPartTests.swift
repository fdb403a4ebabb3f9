import Testing

@testable import PosterKit
@testable import PosterLists
@testable import PosterServer

@Suite struct FilmPartTests {
    private static let stalker = ListAnswer.json(
        #"""
        {"id": 7, "title": "Stalker & <Zone>", "release_date": "1979-05-25",
         "poster_path": "/stalker.jpg", "vote_average": 8.1, "overview": "Three men.",
         "runtime": 162, "genres": [{"name": "Drama"}, {"name": "Sci-Fi"}],
         "credits": {"cast": [{"name": "Alisa Freindlich", "character": "Wife"}]},
         "ratings": {"imdb": {"value": 8.04, "votes": 140000}, "kinopoisk": null,
                     "metacritic": {"value": 85, "votes": 1},
                     "rotten_tomatoes": {"value": 100}, "tmdb": {"value": 1000}}}
        """#)

    @Test func `a film shows its facts, its ratings and who plays`() {
        let fixture = PageFixture(upstream: .success(Self.stalker))
        let answer = fixture.get("/film/7?language=de-DE&wait=1")
        #expect(answer.status == 200 && answer.state == "full")
        #expect(answer.text.contains("<title>Stalker &amp; &lt;Zone&gt;</title>"))
        #expect(answer.text.contains("1979 · 2 h 42 min · Drama, Sci-Fi"))
        #expect(answer.text.contains(">IMDb</th><td>8.0 / 10</td><td>140\u{202F}000 votes</td>"))
        #expect(answer.text.contains(">Kinopoisk</th><td>–</td><td>not rated</td>"))
        #expect(answer.text.contains(">Metacritic</th><td>85 / 100</td><td>1 vote</td>"))
        #expect(answer.text.contains(">Rotten Tomatoes</th><td>100 %</td><td></td>"))
        // A value that no source gives is not shown as one.
        #expect(answer.text.contains(">TMDB</th><td>–</td>"))
        #expect(answer.text.contains("Alisa Freindlich<br><span>Wife</span>"))
        #expect(answer.text.contains(#"href="/?list=movie&amp;window=week&amp;language=de-DE""#))
        #expect(
            fixture.asked.withLock { $0.map(\.request) } == [
                "/movie/7?append_to_response=credits,ratings&language=de-DE"
            ])
    }

    @Test func `a series is asked for as one`() {
        let fixture = PageFixture(upstream: .success(Self.stalker))
        _ = fixture.get("/series/7?part=1")
        #expect(
            fixture.asked.withLock { $0.map(\.request) } == [
                "/tv/7?append_to_response=credits,ratings&language=en-US"
            ])
    }

    @Test func `a number that the API does not know is 404`() {
        let fixture = PageFixture(upstream: .success(.json("{}", status: 404)))
        let answer = fixture.get("/film/7?wait=1")
        #expect(answer.status == 404)
        #expect(answer.text.contains("There is no such film."))
    }

    @Test func `a film that cannot be read is an error, not a page of nothing`() {
        let fixture = PageFixture(upstream: .success(.json("[]")))
        #expect(fixture.get("/film/7?wait=1").status == 502)
    }
}
