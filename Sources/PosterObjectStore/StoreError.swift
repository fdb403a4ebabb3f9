import PosterFetch

/// Why an object store did not do what it was asked to.
public struct StoreError: Error, Hashable, Sendable {
    /// The closed set of names that metrics and logs use.
    public enum Kind: String, CaseIterable, Sendable {
        /// No address, no connection, or no TLS.
        case unreachable
        /// Longer than a look or a write may take.
        case timeout
        /// The connection broke, or what came over it is no HTTP.
        case broken
        /// 503 or 429: it asks for fewer requests.
        case slowDown = "slow_down"
        /// Another 5xx.
        case serverError = "server_error"
        /// The key is refused, or may not do this.
        case denied
        /// The key is refused because the clocks differ.
        case clockSkew = "clock_skew"
        /// There is no such bucket.
        case noBucket = "no_bucket"
        /// The bucket lies in another region, or at another address.
        case elsewhere
        /// Any other answer that is none to what was asked.
        case unexpected
        /// An object over the limit.
        case tooLarge = "too_large"
        /// It was not asked, because it failed a moment ago.
        case paused
    }

    /// Its name.
    public let kind: Kind
    /// The numbers or words that decided, for logs and people.
    public let detail: String
    /// The pause that the store asked for, in seconds.
    public let retryAfterSeconds: Int?

    /// Puts an error together.
    public init(_ kind: Kind, _ detail: String, retryAfterSeconds: Int? = nil) {
        (self.kind, self.detail, self.retryAfterSeconds) = (kind, detail, retryAfterSeconds)
    }

    /// What broke off an exchange.
    init(_ error: FetchError) {
        let kind: Kind =
            switch error.reason {
            case .dns, .connect, .tls, .other: .unreachable
            case .dnsTimeout, .connectTimeout, .firstByteTimeout, .stalled, .totalTimeout: .timeout
            case .tooLarge: .tooLarge
            case .closed: .paused
            default: .broken
            }
        self.init(kind, error.description)
    }
}

extension StoreError: CustomStringConvertible {
    /// One line: the name, then what decided.
    public var description: String {
        detail.isEmpty ? kind.rawValue : "\(kind.rawValue): \(detail)"
    }
}
