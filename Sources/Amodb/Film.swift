/// A film or series in one of the API's lists, with the fields that Onesheet uses.
///
/// What the API sends beyond them is ignored; what it leaves out is `nil`. Only `id` must be there.
public struct Film: Sendable, Equatable {
    /// The API's number of the film.
    public let id: Int
    /// The title in the list's language; a series has it as `name`.
    public let title: String?
    /// `YYYY-MM-DD`, or empty, or missing; a series has it as `first_air_date`.
    public let releaseDate: String?
    /// The raw `poster_path`; read it through ``poster()``.
    public let posterPath: String?
    /// 0.0 to 10.0; 0.0 while nobody voted.
    public let voteAverage: Double?
    /// `movie` or `tv`, where the list says so.
    public let mediaType: String?

    /// A film made by hand, for tests and previews.
    public init(
        id: Int, title: String? = nil, releaseDate: String? = nil, posterPath: String? = nil,
        voteAverage: Double? = nil, mediaType: String? = nil
    ) {
        self.id = id
        self.title = title
        self.releaseDate = releaseDate
        self.posterPath = posterPath
        self.voteAverage = voteAverage
        self.mediaType = mediaType
    }

    /// The first four characters of the release date, or `nil` when it is missing or empty.
    public var year: String? {
        guard let releaseDate, !releaseDate.isEmpty else { return nil }
        return String(releaseDate.prefix(4))
    }

    /// The poster's path, `nil` for *no poster*. Throws when the API sent something that is no
    /// poster path.
    public func poster() throws(PosterPathError) -> PosterPath? { try PosterPath.parse(posterPath) }

    /// The image URL at a size, or `nil` when there is no poster.
    public func posterURL(
        size: PosterSize, base: BaseURL = .amodbImages
    ) throws(PosterPathError) -> String? {
        try poster().map { base.url(of: $0, size: size) }
    }
}

extension Film: Decodable {
    private enum CodingKeys: String, CodingKey {
        case id, title, name
        case releaseDate = "release_date"
        case firstAirDate = "first_air_date"
        case posterPath = "poster_path"
        case voteAverage = "vote_average"
        case mediaType = "media_type"
    }

    /// Decodes one member of a list's `results`.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        id = try fields.decode(Int.self, forKey: .id)
        title =
            try fields.decodeIfPresent(String.self, forKey: .title)
            ?? fields.decodeIfPresent(String.self, forKey: .name)
        releaseDate =
            try fields.decodeIfPresent(String.self, forKey: .releaseDate)
            ?? fields.decodeIfPresent(String.self, forKey: .firstAirDate)
        posterPath = try fields.decodeIfPresent(String.self, forKey: .posterPath)
        voteAverage = try fields.decodeIfPresent(Double.self, forKey: .voteAverage)
        mediaType = try fields.decodeIfPresent(String.self, forKey: .mediaType)
    }
}
