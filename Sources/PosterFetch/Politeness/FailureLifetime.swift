/// How long a kind of failure is worth remembering for one poster.
package enum FailureLifetime: Hashable, Sendable {
    /// Belongs to the moment, the client or the host, not to the poster.
    case none
    /// The host says that there is no such poster.
    case missing
    /// What the host sends for it is no poster.
    case unusable
    /// Likely to pass.
    case passing

    /// The kind of a failed request.
    package init(of reason: FetchError.Reason) {
        self =
            switch reason {
            case .notAnImage, .badImage, .tooLarge, .encoded, .redirectRefused, .status4xx, .denied,
                .listInvalid:
                .unusable
            case .dns, .dnsTimeout, .connect, .connectTimeout, .tls, .firstByteTimeout, .stalled,
                .totalTimeout, .reset, .shortBody, .framing, .emptyReply, .unexpectedStatus,
                .status5xx, .truncatedImage, .other:
                .passing
            case .keyRefused, .planEnded, .rateLimited, .backingOff, .hostDown, .busy, .deadline,
                .halted, .closed:
                .none
            }
    }

    /// The time itself; `streak` counts passing failures in a row, from 1; `jitter`, from 0 to 1,
    /// lengthens an hour by up to a tenth, so that a page of missing posters is not asked for
    /// again in one burst.
    package func duration(streak: Int, jitter: Double = 0) -> Duration {
        switch self {
        case .none: .zero
        case .missing: .seconds(3600) * (1 + jitter / 10)
        case .unusable: .seconds(600)
        case .passing: min(.seconds(15) * (1 << min(max(streak, 1) - 1, 6)), .seconds(600))
        }
    }
}
