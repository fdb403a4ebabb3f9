import FoundationEssentials

/// One page of a list, as `GET /trending/movie/week` answers it.
public struct FilmList: Sendable, Equatable {
    /// The page's number, from 1; `nil` when the answer does not say, or says no whole number.
    public let page: Int?
    /// How many pages the list has; `nil` when the answer does not say, or says no whole number.
    public let totalPages: Int?
    /// The films in the list's order. A member that could not be read is left out.
    public let films: [Film]
    /// How many members of `results` were no film (no whole `id`, a `poster_path` that is no text).
    public let unreadable: Int

    /// Decodes a list from the API's JSON, or a bare array of films.
    ///
    /// One unreadable member does not lose the others: it is counted in ``unreadable``. Throws
    /// ``FilmListError`` when the whole is no list.
    public init(json: [UInt8]) throws(FilmListError) {
        do {
            self = try JSONDecoder().decode(FilmList.self, from: Data(json))
        } catch let error as DecodingError {
            throw FilmListError(reason: Self.summary(of: error))
        } catch {
            throw FilmListError(reason: "not JSON")
        }
    }

    private static func summary(of error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, _): "\(Quoted(key.stringValue)) is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "\(Quoted(context.codingPath.map(\.stringValue).joined(separator: "."))) has a wrong type"
        case .dataCorrupted: "not JSON"
        @unknown default: "not JSON"
        }
    }
}

extension FilmList: Decodable {
    private enum CodingKeys: String, CodingKey {
        case page, results
        case totalPages = "total_pages"
    }

    /// Decodes a page object with `results`, or a bare array.
    public init(from decoder: any Decoder) throws {
        let members: [Lossy<Film>]
        do {
            members = try decoder.singleValueContainer().decode([Lossy<Film>].self)
            (page, totalPages) = (nil, nil)
        } catch {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            members = try fields.decode([Lossy<Film>].self, forKey: .results)
            page = try fields.decodeIfPresent(Lossy<Int>.self, forKey: .page)?.value
            totalPages = try fields.decodeIfPresent(Lossy<Int>.self, forKey: .totalPages)?.value
        }
        films = members.compactMap(\.value)
        unreadable = members.count - films.count
    }
}
