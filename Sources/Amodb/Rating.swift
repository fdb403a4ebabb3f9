/// How one source rates a film.
public struct Rating: Sendable, Equatable {
    /// The sources, by their names in the API's `ratings`.
    public enum Source: String, CaseIterable, Sendable {
        /// Internet Movie Database, out of 10.
        case imdb
        /// Out of 10.
        case kinopoisk
        /// Out of 100.
        case metacritic
        /// Percent.
        case rottenTomatoes = "rotten_tomatoes"
        /// The Movie Database, out of 10.
        case tmdb

        /// Its name as people write it.
        public var name: String {
            switch self {
            case .imdb: "IMDb"
            case .kinopoisk: "Kinopoisk"
            case .metacritic: "Metacritic"
            case .rottenTomatoes: "Rotten Tomatoes"
            case .tmdb: "TMDB"
            }
        }

        /// The best score.
        public var best: Int {
            switch self {
            case .imdb, .kinopoisk, .tmdb: 10
            case .metacritic, .rottenTomatoes: 100
            }
        }
    }

    /// What the API has for a source.
    struct Score: Decodable {
        let value: Double
        let votes: Int?
    }

    /// Who rates.
    public let source: Source
    /// The score, out of the source's ``Source/best``.
    public let value: Double
    /// How many voted, where the source says so.
    public let votes: Int?

    /// Puts a rating together.
    public init(_ source: Source, _ value: Double, votes: Int? = nil) {
        self.source = source
        self.value = value
        self.votes = votes
    }
}
