/// A film or series in one of the API's lists, with the fields that Onesheet uses.
///
/// What the API sends beyond them is ignored; what it leaves out, or sends in a type that the field
/// cannot have, is `nil`. Only `id` must be a whole number, and `poster_path` a text or null: a
/// film is not said to have no poster because its poster could not be read.
public struct Film: Sendable, Equatable {
    /// The API's number of the film.
    public let id: Int
    /// The title in the list's language, else the original one; `nil` when all of them are missing
    /// or blank. A series has them as `name` and `original_name`.
    public let title: String?
    /// `YYYY-MM-DD`, or empty, or missing; a series has it as `first_air_date`.
    public let releaseDate: String?
    /// The raw `poster_path`; read it through ``poster()``.
    public let posterPath: String?
    /// 0.0 to 10.0; 0.0 without a vote.
    public let voteAverage: Double?
    /// `movie` or `tv`, where the list says so.
    public let mediaType: String?

    /// A film made by hand, for tests and previews.
    public init(
        id: Int, title: String? = nil, releaseDate: String? = nil, posterPath: String? = nil,
        voteAverage: Double? = nil, mediaType: String? = nil
    ) {
        self.id = id
        self.title = Self.nonBlank(title)
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

extension Film {
    /// A text that shows something; `nil` for one that is missing, empty or all white space.
    private static func nonBlank(_ text: String?) -> String? {
        text?.allSatisfy(\.isWhitespace) == false ? text : nil
    }
}

extension Film: Decodable {
    private enum CodingKeys: String, CodingKey {
        case id, title, name
        case originalTitle = "original_title"
        case originalName = "original_name"
        case releaseDate = "release_date"
        case firstAirDate = "first_air_date"
        case posterPath = "poster_path"
        case voteAverage = "vote_average"
        case mediaType = "media_type"
    }

    /// Decodes one member of a list's `results`. Throws when `id` or `poster_path` cannot be read.
    public init(from decoder: any Decoder) throws {
        try self.init(from: decoder, needsPosterPath: true)
    }

    /// As the public one; where `needsPosterPath` is false, a `poster_path` that cannot be read is
    /// `nil`.
    init(from decoder: any Decoder, needsPosterPath: Bool) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        func read<Value: Decodable>(_ key: CodingKeys, as type: Value.Type) -> Value? {
            do { return try fields.decodeIfPresent(type, forKey: key) } catch { return nil }
        }
        func firstText(of keys: CodingKeys...) -> String? {
            for key in keys {
                if let text = Self.nonBlank(read(key, as: String.self)) { return text }
            }
            return nil
        }
        id = try fields.decode(Int.self, forKey: .id)
        title = firstText(of: .title, .name, .originalTitle, .originalName)
        releaseDate = firstText(of: .releaseDate, .firstAirDate)
        do { posterPath = try fields.decodeIfPresent(String.self, forKey: .posterPath) } catch {
            guard !needsPosterPath else { throw error }
            posterPath = nil
        }
        voteAverage = read(.voteAverage, as: Double.self)
        mediaType = read(.mediaType, as: String.self)
    }
}
