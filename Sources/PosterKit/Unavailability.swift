public import PosterFetch
public import PosterPlaceholders

/// Why there is no picture for a request: a state with an answer of its own, not an error.
public enum Unavailability: Error, Hashable, Sendable {
    /// The film has none: its `poster_path` is null, empty or missing.
    case noPoster
    /// Upstream says that there is no such poster: 404 or 410.
    case missing(status: Int)
    /// It cannot be had just now.
    case failed(FetchError)

    /// The placeholder that stands for it.
    public var placeholderKind: PlaceholderRequest.Kind {
        switch self {
        case .noPoster, .missing: .missing
        case .failed: .unavailable
        }
    }
}

extension Unavailability: CustomStringConvertible {
    /// One line for people.
    public var description: String {
        switch self {
        case .noPoster: "no poster"
        case .missing(let status): "not found: upstream answered \(status)"
        case .failed(let error): "unavailable: \(error)"
        }
    }
}
