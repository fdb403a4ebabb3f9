import PosterKit
import PosterLists
import PosterPlaceholders

/// What the cache did for an answer, as the access log has it.
enum CacheOutcome: Int, CaseIterable, Sendable, CustomStringConvertible {
    /// The cache was not asked.
    case none
    /// From memory or disk.
    case hit
    /// From the store that several nodes share.
    case store
    /// A thumbnail made from a poster that was cached.
    case made
    /// Fetched from upstream.
    case miss
    /// Expired, and upstream said that it is unchanged.
    case revalidated
    /// Expired, and fetched from upstream.
    case refetched
    /// Expired, and given because upstream failed.
    case stale
    /// Made from another size, because the one asked for failed.
    case derived
    case placeholderMissing
    case placeholderUnavailable

    var description: String {
        switch self {
        case .none: "-"
        case .hit: "hit"
        case .store: "store"
        case .made: "made"
        case .miss: "miss"
        case .revalidated: "revalidated"
        case .refetched: "refetched"
        case .stale: "stale"
        case .derived: "derived"
        case .placeholderMissing: "placeholder-missing"
        case .placeholderUnavailable: "placeholder-unavailable"
        }
    }

    /// Of an image.
    init(_ state: Answer.State) {
        switch state {
        case .fresh(.memory, _), .fresh(.disk, _): self = .hit
        case .fresh(.store, _): self = .store
        case .fresh(.made, _): self = .made
        case .fresh(.fetched, _): self = .miss
        case .fresh(.refetched, _): self = .refetched
        case .fresh(.revalidated, _): self = .revalidated
        case .staleIfError: self = .stale
        case .derived: self = .derived
        case .absent(let unavailability): self.init(unavailability.placeholderKind)
        }
    }

    /// Of a placeholder.
    init(_ kind: PlaceholderRequest.Kind) {
        switch kind {
        case .missing: self = .placeholderMissing
        case .unavailable: self = .placeholderUnavailable
        }
    }

    /// Of a list.
    init(_ source: ListAnswer.Source) {
        switch source {
        case .cache, .refreshing: self = .hit
        case .upstream: self = .miss
        case .stale: self = .stale
        }
    }
}

/// What the access log and the metrics need to know of an answer once it has been sent, as the
/// number that goes through the connection with it.
struct AnswerTag: Equatable {
    let route: RequestMetrics.RouteName
    let outcome: CacheOutcome

    init(_ route: RequestMetrics.RouteName, _ outcome: CacheOutcome) {
        (self.route, self.outcome) = (route, outcome)
    }

    /// Reads the number; 0 is the tag of an exchange that got no answer.
    init(rawValue: Int) {
        route = RequestMetrics.RouteName(rawValue: rawValue & 0xFF) ?? .none
        outcome = CacheOutcome(rawValue: rawValue >> 8) ?? .none
    }

    var rawValue: Int { outcome.rawValue << 8 | route.rawValue }
}
