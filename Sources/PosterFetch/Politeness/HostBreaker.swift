/// Tells from the failures of single requests that the whole host is in trouble, and for how long
/// it is better left alone.
///
/// Some faults are the host's by their nature: no address, no connection, a bad certificate.
/// Others count only when several posters in a row meet them.
struct HostBreaker: Sendable {
    /// So many failures in a row, within ``span``, on different posters.
    static let failuresInARow = 5
    /// The time within which failures in a row belong together.
    static let span = Duration.seconds(10)
    /// So many refusals (401, 403) in a row, of posters with different names and without an answer
    /// between them, are meant for the client. Fewer are about the posters: an object store answers
    /// 403 for a name that it does not have.
    static let refusalsInARow = 20
    /// How long a client that is refused stays away.
    static let refusalPause = Duration.seconds(300)
    /// The first pause of a host in trouble; each further one in a row is twice as long.
    static let firstPause = Duration.seconds(15)
    /// The longest of them.
    static let longestPause = Duration.seconds(60)

    private struct Failure: Sendable {
        let time: ContinuousClock.Instant
        let url: String
    }

    /// The last segment of a URL's path: the same poster at another size has the same name.
    private static func name(in url: String) -> Substring {
        url.prefix { $0 != "?" && $0 != "#" }.split(separator: "/").last ?? ""
    }

    /// How a reason speaks of the host.
    private enum Weight {
        /// The host's at once, with a pause that doubles.
        case host
        /// The host's at once: a certificate is not mended in seconds.
        case certificate
        /// Counts among failures in a row.
        case failure
        /// Counts among refusals in a row.
        case refusal
        /// Says that the host is there and well.
        case answer
        /// Says nothing of the host.
        case none
    }

    private var failures: [Failure] = []
    /// The names that were refused since the last answer.
    private var refusals: Set<String> = []
    private var pauses = 0

    /// An answer with a poster, or with the news that there is none: the host is well.
    mutating func noteAnswer() { self = HostBreaker() }

    /// A request that failed for good; the pause that the host is to have, if any.
    mutating func note(
        _ reason: FetchError.Reason, of url: String, now: ContinuousClock.Instant
    ) -> Duration? {
        switch Self.weight(of: reason) {
        case .host: return longerPause()
        case .certificate: return Self.longestPause
        case .failure: return count(url, now)
        case .refusal:
            refusals.insert(String(Self.name(in: url)))
            guard refusals.count >= Self.refusalsInARow else { return nil }
            refusals = []
            return Self.refusalPause
        case .answer, .none: return nil
        }
    }

    /// A probe that failed: the host is in trouble still. `nil`: the failure says nothing of it.
    mutating func noteProbe(_ reason: FetchError.Reason) -> Duration? {
        switch Self.weight(of: reason) {
        case .host, .failure: longerPause()
        case .certificate: Self.longestPause
        case .refusal: Self.refusalPause
        case .answer, .none: nil
        }
    }

    /// Whether a failure is of the thing asked for alone: the host did answer.
    static func isAnswer(_ reason: FetchError.Reason) -> Bool { weight(of: reason) == .answer }

    private mutating func count(_ url: String, _ now: ContinuousClock.Instant) -> Duration? {
        failures.removeAll { $0.url == url || now - $0.time > Self.span }
        failures.append(Failure(time: now, url: url))
        guard failures.count >= Self.failuresInARow else { return nil }
        failures = []
        return longerPause()
    }

    private mutating func longerPause() -> Duration {
        pauses += 1
        return min(Self.firstPause * (1 << min(pauses - 1, 4)), Self.longestPause)
    }

    private static func weight(of reason: FetchError.Reason) -> Weight {
        switch reason {
        case .dns, .dnsTimeout, .connectTimeout: .host
        case .tls: .certificate
        // A server that restarts refuses connections for a moment.
        case .connect, .firstByteTimeout, .stalled, .totalTimeout, .reset, .shortBody, .framing,
            .emptyReply, .status5xx, .other:
            .failure
        case .denied: .refusal
        case .tooLarge, .encoded, .redirectRefused, .status4xx, .unexpectedStatus, .notAnImage,
            .truncatedImage, .badImage, .listInvalid:
            .answer
        case .keyRefused, .planEnded, .rateLimited, .backingOff, .hostDown, .busy, .deadline,
            .halted, .closed:
            .none
        }
    }
}
