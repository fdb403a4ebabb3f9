import FoundationEssentials

/// A film or series of its own, as `GET /movie/{id}?append_to_response=credits,ratings` answers.
///
/// Only `id` must be there. What the API leaves out, or sends in a type that it should not have,
/// is `nil` or empty: a page with half of the facts is better than none.
public struct FilmDetails: Sendable, Equatable {
    /// What lists have, too.
    public let film: Film
    /// A line for the poster.
    public let tagline: String?
    /// What it is about, in a paragraph.
    public let overview: String?
    /// How long it runs.
    public let runtimeMinutes: Int?
    /// Its genres' names, in the language asked for.
    public let genres: [String]
    /// Who plays, in the order of billing.
    public let cast: [CastMember]
    /// How it is rated, by the sources that rate it.
    public let ratings: [Rating]

    /// One made by hand, for tests and previews.
    public init(
        film: Film, tagline: String? = nil, overview: String? = nil, runtimeMinutes: Int? = nil,
        genres: [String] = [], cast: [CastMember] = [], ratings: [Rating] = []
    ) {
        self.film = film
        self.tagline = tagline
        self.overview = overview
        self.runtimeMinutes = runtimeMinutes
        self.genres = genres
        self.cast = cast
        self.ratings = ratings
    }

    /// Decodes the API's JSON. Throws when it is no JSON or has no `id`.
    public init(json: [UInt8]) throws(FilmListError) {
        do {
            self = try JSONDecoder().decode(FilmDetails.self, from: Data(json))
        } catch { throw FilmListError(reason: "no film with an id") }
    }
}

/// Who plays whom.
public struct CastMember: Sendable, Equatable, Decodable {
    /// The actor's name.
    public let name: String
    /// The part; may be missing or empty.
    public let character: String?

    /// One made by hand.
    public init(name: String, character: String? = nil) {
        self.name = name
        self.character = character
    }
}

extension FilmDetails: Decodable {
    private enum CodingKeys: String, CodingKey {
        case tagline, overview, runtime, genres, credits, ratings
    }

    private struct Genre: Decodable {
        let name: String
    }

    private struct Credits: Decodable {
        let cast: [Lossy<CastMember>]
    }

    /// Decodes the details of one film.
    public init(from decoder: any Decoder) throws {
        film = try Film(from: decoder, needsPosterPath: false)
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        func read<Value: Decodable>(_ key: CodingKeys, _ type: Value.Type) -> Value? {
            do { return try fields.decodeIfPresent(type, forKey: key) } catch { return nil }
        }
        tagline = read(.tagline, String.self)
        overview = read(.overview, String.self)
        runtimeMinutes = read(.runtime, Int.self)
        genres = (read(.genres, [Lossy<Genre>].self) ?? []).compactMap(\.value?.name)
        cast = (read(.credits, Credits.self)?.cast ?? []).compactMap(\.value)
        let rated = read(.ratings, [String: Lossy<Rating.Score>].self) ?? [:]
        ratings = Rating.Source.allCases.compactMap { source in
            (rated[source.rawValue]?.value).map { Rating(source, $0.value, votes: $0.votes) }
        }
    }
}
