import Amodb
import Testing

@Suite struct FilmListTests {
    private func list(_ json: String) throws -> FilmList { try FilmList(json: Array(json.utf8)) }

    @Test func `a page reads with its films in order, and unknown fields are ignored`() throws {
        let page = try list(
            """
            {"page": 1, "total_pages": 2, "later": {"x": [1]}, "results": [
              {"id": 7, "title": "Нить", "release_date": "2026-03-01", "poster_path": "/a.jpg",
               "vote_average": 7.25, "media_type": "movie", "adult": false},
              {"id": 8, "name": "Series", "first_air_date": "2025-12-31", "poster_path": null}
            ]}
            """)
        #expect(page.page == 1)
        #expect(page.totalPages == 2)
        #expect(page.films.map(\.id) == [7, 8])
        #expect(page.films.map(\.title) == ["Нить", "Series"])
        #expect(page.films.map(\.year) == ["2026", "2025"])
        #expect(page.films[0].voteAverage == 7.25)
        #expect(try page.films.map { try $0.poster()?.name } == ["a", nil])
    }

    @Test(
        "the year is the first four characters of the date, if there are any",
        arguments: [
            (nil, nil), ("", nil), ("2026-11-30", "2026"), ("2026", "2026"), ("19", "19"),
        ] as [(String?, String?)])
    func year(date: String?, year: String?) {
        #expect(Film(id: 1, releaseDate: date).year == year)
    }

    @Test func `a film with no poster has no URL, and one with a bad path says why`() throws {
        #expect(try Film(id: 1).posterURL(size: .w342) == nil)
        #expect(
            try Film(id: 1, posterPath: "/a.jpg").posterURL(size: .w342)
                == "https://img.amodb.dev/t/p/w342/a.jpg")
        #expect(throws: PosterPathError(value: "/../a.jpg", rule: .oneSegment)) {
            try Film(id: 1, posterPath: "/../a.jpg").poster()
        }
    }

    @Test func `one unreadable member does not lose the others`() throws {
        let page = try list(
            #"{"results": [{"id": 1}, {"title": "no id"}, {"id": "2"}, 7, {"id": 3, "poster_path": 9}]}"#
        )
        #expect(page.films.map(\.id) == [1])
        #expect(page.unreadable == 4)
    }

    @Test func `a bare array of films is a list`() throws {
        #expect(try list(#"[{"id": 1}, {"id": 2}]"#).films.map(\.id) == [1, 2])
    }

    @Test(
        "what is no list is refused with what did not fit",
        arguments: [
            ("", "not JSON"), ("{", "not JSON"), ("<html>", "not JSON"),
            ("{}", #""results" is missing"#), (#"{"results": 7}"#, #""results" has a wrong type"#),
            (#"{"results": null}"#, #""results" has a wrong type"#),
        ])
    func refused(json: String, reason: String) {
        #expect(throws: FilmListError(reason: reason)) { try list(json) }
    }
}
