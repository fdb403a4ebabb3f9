import Testing

@testable import Amodb

@Suite struct FilmDetailsTests {
    @Test func `all that the page shows is read`() throws {
        let details = try FilmDetails(
            json: Array(
                #"""
                {"id": 7, "title": "Stalker", "release_date": "1979-05-25", "poster_path": "/s.jpg",
                 "vote_average": 8.1, "tagline": "", "overview": "Three men.", "runtime": 162,
                 "genres": [{"id": 1, "name": "Drama"}, {"id": 2}],
                 "credits": {"cast": [{"name": "A", "character": "Stalker"}, {"character": "x"},
                                      {"name": "B", "character": null}]},
                 "ratings": {"imdb": {"value": 8.0, "votes": 140000}, "kinopoisk": null,
                             "metacritic": {"value": 85}, "rotten_tomatoes": {"votes": 3},
                             "tmdb": {"value": 8.1, "votes": null}, "new": {"value": 1}}}
                """#.utf8))
        #expect(details.film.title == "Stalker" && details.film.year == "1979")
        #expect(details.runtimeMinutes == 162)
        #expect(details.genres == ["Drama"])
        #expect(
            details.cast == [CastMember(name: "A", character: "Stalker"), CastMember(name: "B")])
        #expect(
            details.ratings == [
                Rating(.imdb, 8.0, votes: 140_000), Rating(.metacritic, 85), Rating(.tmdb, 8.1),
            ])
    }

    @Test(
        "what is missing or of a wrong type loses nothing else",
        arguments: [
            #"{"id": 7, "overview": "o"}"#,
            #"{"id": 7, "overview": "o", "runtime": "long", "genres": {}, "credits": [], "ratings": 3}"#,
            #"{"id": 7, "overview": "o", "runtime": null, "credits": {"cast": null}, "ratings": null}"#,
        ])
    func partial(json: String) throws {
        let expected = FilmDetails(film: Film(id: 7), overview: "o")
        #expect(try FilmDetails(json: Array(json.utf8)) == expected)
    }

    @Test("bytes that are no film are refused", arguments: ["", "[]", "{}", "{\"id\": \"7\"}"])
    func refused(json: String) {
        #expect(throws: FilmListError.self) { try FilmDetails(json: Array(json.utf8)) }
    }
}
