import Testing

@testable import Amodb

/// Puts every kind of JSON value into every field, and expects the neighbours to be read.
@Suite struct MalformedFieldTests {
    /// A JSON value, and what it is as a field.
    struct Sample: CustomTestStringConvertible, Sendable {
        let json: String
        /// As `Int`.
        var whole: Int?
        /// As `Double`.
        var number: Double?
        /// As `String`.
        var text: String?
        var testDescription: String { json }

        static let all: [Sample] = [
            Sample(json: "null"), Sample(json: "true"), Sample(json: "[]"), Sample(json: "{}"),
            Sample(json: "[1]"), Sample(json: #"{"id":1}"#), Sample(json: "[[[[]]]]"),
            Sample(json: "0", whole: 0, number: 0), Sample(json: "7", whole: 7, number: 7),
            Sample(json: "-3", whole: -3, number: -3), Sample(json: "1.5", number: 1.5),
            Sample(json: "-0.25", number: -0.25),
            Sample(json: "9223372036854775807", whole: .max, number: 0x1p63),
            Sample(json: "-9223372036854775808", whole: .min, number: -0x1p63),
            Sample(json: "9223372036854775808", number: 0x1p63),
            Sample(json: "100000000000000000000", number: 1e20),
            Sample(json: "1e20", number: 1e20), Sample(json: "1e400"), Sample(json: "-1e400"),
            Sample(json: #""""#, text: ""), Sample(json: #"" ""#, text: " "),
            Sample(json: #""7""#, text: "7"), Sample(json: #""\u0041""#, text: "A"),
            Sample(json: #""1979-05-25""#, text: "1979-05-25"),
        ]

        var isNull: Bool { json == "null" }
        /// Whether the text shows anything.
        var shown: String? { text?.allSatisfy(\.isWhitespace) == false ? text : nil }
    }

    private func object(_ fields: [(String, String)]) -> String {
        "{" + fields.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }

    private static let film = [
        ("id", "5"), ("title", "\"T\""), ("release_date", "\"2001-01-01\""),
        ("poster_path", "\"/p.jpg\""), ("vote_average", "6.5"), ("media_type", "\"movie\""),
    ]

    @Test("a bad value loses its field or its film, never the list", arguments: Sample.all)
    func films(sample: Sample) throws {
        for (name, _) in Self.film {
            let changed = object(Self.film.map { ($0, $0 == name ? sample.json : $1) })
            let json = #"{"page":1,"results":[{"id":1},\#(changed),{"id":2}],"total_pages":3}"#
            let list = try FilmList(json: Array(json.utf8))
            var expected: Film?
            switch name {
            case "id": expected = sample.whole.map { Self.expected(id: $0) }
            case "title": expected = Self.expected(title: sample.shown)
            case "release_date": expected = Self.expected(date: sample.shown)
            case "poster_path":
                if sample.text != nil || sample.isNull {
                    expected = Self.expected(path: sample.text)
                }
            case "vote_average":
                // A double that is no number of the format's is one of its bounds or none.
                expected = Self.expected(vote: sample.number)
            default: expected = Self.expected(media: sample.text)
            }
            let films = [Film(id: 1), expected, Film(id: 2)].compactMap(\.self)
            #expect(list.films == films, "\(name)")
            #expect(list.unreadable == 3 - films.count, "\(name)")
            #expect(list.totalPages == 3)
        }
    }

    private static func expected(
        id: Int = 5, title: String? = "T", date: String? = "2001-01-01", path: String? = "/p.jpg",
        vote: Double? = 6.5, media: String? = "movie"
    ) -> Film {
        Film(
            id: id, title: title, releaseDate: date, posterPath: path, voteAverage: vote,
            mediaType: media)
    }

    @Test("a page count that is none loses nothing but itself", arguments: Sample.all)
    func pages(sample: Sample) throws {
        let json = #"{"page":\#(sample.json),"results":[{"id":1}],"total_pages":\#(sample.json)}"#
        let list = try FilmList(json: Array(json.utf8))
        #expect(list.films == [Film(id: 1)])
        #expect(list.page == sample.whole)
        #expect(list.totalPages == sample.whole)
    }

    @Test("a bad rating loses itself alone", arguments: Sample.all)
    func ratings(sample: Sample) throws {
        for (field, other) in [("value", #""votes":5"#), ("votes", #""value":5"#)] {
            let json = #"""
                {"id":7,"overview":"o","ratings":{"imdb":{"value":8,"votes":3},
                 "tmdb":{"\#(field)":\#(sample.json),\#(other)},"metacritic":{"value":90}}}
                """#
            let details = try FilmDetails(json: Array(json.utf8))
            var rating: Rating?
            if field == "value" {
                rating = sample.number.map { Rating(.tmdb, $0, votes: 5) }
            } else if sample.whole != nil || sample.isNull {
                rating = Rating(.tmdb, 5, votes: sample.whole)
            }
            let expected = [Rating(.imdb, 8, votes: 3), Rating(.metacritic, 90), rating]
            #expect(details.ratings == expected.compactMap(\.self), "\(field)")
            #expect(details.overview == "o")
        }
    }

    @Test("a bad value loses its fact of a film alone", arguments: Sample.all)
    func details(sample: Sample) throws {
        let names = [
            "title", "poster_path", "vote_average", "media_type", "tagline", "runtime", "genres",
            "credits", "ratings", "release_date",
        ]
        for name in names {
            let json = #"{"id":7,"overview":"o","\#(name)":\#(sample.json)}"#
            let details = try FilmDetails(json: Array(json.utf8))
            #expect(details.film.id == 7 && details.overview == "o", "\(name)")
        }
        for list in ["genres\":[{\"name\":\"G\"}", "credits\":{\"cast\":[{\"name\":\"G\"}"] {
            let end = list.hasPrefix("g") ? "]" : "]}"
            let json = "{\"id\":7,\"\(list),\(sample.json)\(end)}"
            let details = try FilmDetails(json: Array(json.utf8))
            #expect(details.genres + details.cast.map(\.name) == ["G"])
        }
    }

    @Test(
        "a blank title gives way to the next one there is",
        arguments: [
            ("{}", nil), (#"{"title":""}"#, nil), (#"{"title":" \t"}"#, nil),
            (#"{"title":"","original_title":"O"}"#, "O"),
            (#"{"title":null,"original_title":"O"}"#, "O"),
            (#"{"title":7,"original_title":"O"}"#, "O"),
            (#"{"title":"T","original_title":"O"}"#, "T"),
            (#"{"name":"","original_name":"O"}"#, "O"), (#"{"name":"N"}"#, "N"),
            (#"{"title":"","name":"N","original_title":"O"}"#, "N"),
        ] as [(String, String?)])
    func titles(fields: String, title: String?) throws {
        let json = #"[{"id":1,\#(fields.dropFirst())]"#.replacing(",}", with: "}")
        #expect(try FilmList(json: Array(json.utf8)).films.map(\.title) == [title])
        #expect(Film(id: 1, title: " ").title == nil)
    }
}
