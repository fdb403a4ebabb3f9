public import Amodb
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Asks the amodb film API, or a Onesheet server that relays it, for lists and details.
///
/// A value that an app keeps for as long as it needs the API. Every method is safe to call from any
/// task, ends when its task is cancelled, and throws an ``AmodbClientError`` whose description is a
/// sentence that a screen can show.
///
/// The client follows the API's rules: the key travels as `Authorization: Bearer` and nowhere else;
/// 401 and 402 are not retried; on 429 it waits as long as `Retry-After` asks, 30 seconds at most,
/// and retries twice; redirects are not followed, so that the key reaches the configured host only.
public struct AmodbClient: Sendable {
    /// What a list or a page of details is about.
    public enum Media: String, CaseIterable, Sendable {
        /// A film.
        case movie
        /// A series.
        case series = "tv"
    }

    /// The time over which a trending list counts.
    public enum TrendingWindow: String, CaseIterable, Sendable {
        /// Since yesterday.
        case day
        /// The last seven days.
        case week
    }

    private let base: BaseURL
    private let token: String?
    private let exchange: HTTPExchange
    private let sleep: @Sendable (Duration) async throws -> Void

    /// Makes a client.
    ///
    /// - Parameters:
    ///   - base: the API, `https://api.amodb.dev/3` by default, or a Onesheet server's `/3`.
    ///   - token: the API's key, or the client token of a Onesheet server; `nil` for a server that
    ///     asks for none. An empty token is refused by each request, before anything is sent.
    ///   - timeout: how long one attempt may take from its start to the last byte of the answer.
    public init(
        base: BaseURL = .amodbAPI, token: String?, timeout: Duration = .seconds(10)
    ) {
        self.init(base: base, token: token, timeout: timeout) { try await Task.sleep(for: $0) }
    }

    /// As the public initializer, with the wait between retries supplied by the caller.
    init(
        base: BaseURL, token: String?, timeout: Duration = .seconds(10),
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.base = base
        self.token = token
        exchange = HTTPExchange(timeout: timeout)
        self.sleep = sleep
    }

    /// A page of the films or series that are trending.
    ///
    /// - Parameters:
    ///   - media: films or series.
    ///   - window: the time over which the list counts.
    ///   - language: a tag such as `pt-BR`; `nil` leaves the choice to the API.
    ///   - page: from 1.
    public func trending(
        _ media: Media = .movie, over window: TrendingWindow = .week, language: String? = nil,
        page: Int = 1
    ) async throws(AmodbClientError) -> FilmList {
        try await list(
            "trending/\(media.rawValue)/\(window.rawValue)", language: language, page: page)
    }

    /// A page of any list of films or series.
    ///
    /// - Parameters:
    ///   - path: the list's path below the base, such as `movie/popular`.
    ///   - language: a tag such as `pt-BR`; `nil` leaves the choice to the API.
    ///   - page: from 1.
    public func list(
        _ path: String, language: String? = nil, page: Int = 1
    ) async throws(AmodbClientError) -> FilmList {
        guard page >= 1 else { throw .invalidRequest("page \(page): pages count from 1") }
        let body = try await body(
            of: path, query: [("language", language), ("page", page > 1 ? String(page) : nil)])
        do throws(FilmListError) { return try FilmList(json: body) } catch {
            throw .invalidAnswer(error.description)
        }
    }

    /// The details of a film or series, with its cast and ratings.
    ///
    /// - Parameters:
    ///   - id: the API's number of the film or series.
    ///   - media: which of the two it is.
    ///   - language: a tag such as `pt-BR`; `nil` leaves the choice to the API.
    public func details(
        of id: Int, _ media: Media = .movie, language: String? = nil
    ) async throws(AmodbClientError) -> FilmDetails {
        let body = try await body(
            of: "\(media.rawValue)/\(id)",
            query: [("language", language), ("append_to_response", "credits,ratings")])
        do throws(FilmListError) { return try FilmDetails(json: body) } catch {
            throw .invalidAnswer(error.description)
        }
    }

    private func body(
        of path: String, query: [(name: String, value: String?)]
    ) async throws(AmodbClientError) -> [UInt8] {
        let request = try request(for: path, query: query)
        var retriesLeft = 2
        while true {
            let answer = try await exchange.send(request)
            switch APIStatus(code: answer.status) {
            case .success: return answer.body
            case .keyRefused: throw .keyRefused
            case .planEnded: throw .planEnded
            case .notFound: throw .notFound
            case .rateLimited:
                guard retriesLeft > 0 else { throw .rateLimited(retryAfter: answer.retryAfter) }
                retriesLeft -= 1
                do { try await sleep(min(answer.retryAfter, Self.longestWait)) } catch {
                    throw .cancelled
                }
            case .serverError(503) where answer.namesRetryAfter:
                // A relay has retried already; a client that retried, too, would multiply the load.
                throw .rateLimited(retryAfter: answer.retryAfter)
            case .serverError(let status), .unexpected(let status):
                throw .server(status: status, message: answer.message)
            }
        }
    }

    /// The longest wait for a rate limit, whatever `Retry-After` asks for.
    private static let longestWait = Duration.seconds(30)

    private func request(
        for path: String, query: [(name: String, value: String?)]
    ) throws(AmodbClientError) -> URLRequest {
        guard token != "", token != nil || base != .amodbAPI else { throw .keyMissing }
        if let token, !token.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) {
            throw .invalidRequest("the key holds characters that a header field cannot carry")
        }
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        guard segments.allSatisfy(Self.isSegment) else {
            throw .invalidRequest(
                "list \(Quoted(path)): a path is made of a-z 0-9 _ - and single slashes")
        }
        let items = query.compactMap { item in
            item.value.map { URLQueryItem(name: item.name, value: $0) }
        }
        guard var components = URLComponents(string: "\(base)/\(path)") else {
            throw .invalidRequest("base URL \(Quoted(base.description))")
        }
        if !items.isEmpty { components.queryItems = items }
        guard let url = components.url else {
            throw .invalidRequest("list \(Quoted(path)) makes no URL")
        }
        var request = URLRequest(url: url)
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        return request
    }

    private static func isSegment(_ segment: Substring) -> Bool {
        !segment.isEmpty
            && segment.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
