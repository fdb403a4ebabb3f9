import PosterFetch

/// Decides from a store's failures for how long it is better left alone.
///
/// What concerns every object (a refused key, a clock, a missing bucket) counts at once; what may
/// be a moment's trouble counts when it comes several times in a row.
struct StoreBreaker: Sendable {
    /// So many passing failures in a row.
    static let failuresInARow = 3
    /// The first pause; each further one without an answer between is twice as long.
    static let firstPause = Duration.seconds(5)
    /// The longest pause.
    static let longestPause = Duration.seconds(60)

    private var pause = HostPause()
    private var failures = 0
    private var pauses = 0
    /// What the last pause was begun for; `nil` as soon as an answer came.
    private(set) var cause: StoreError?

    /// Whether a request may go, now.
    mutating func judge(now: ContinuousClock.Instant) -> HostPause.Verdict { pause.judge(now: now) }

    /// An answer, whether or not there is such an object. Returns whether it ends a failure.
    mutating func noteAnswer() -> Bool {
        defer { self = StoreBreaker() }
        return cause != nil
    }

    /// A failure. Returns whether the store was well before, and the pause that begins.
    mutating func note(
        _ error: StoreError, now: ContinuousClock.Instant
    ) -> (isNews: Bool, pause: Duration)? {
        failures += 1
        switch error.kind {
        // Says nothing of the store.
        case .tooLarge, .paused: return nil
        case .denied, .clockSkew, .noBucket, .elsewhere, .slowDown: break
        case .unreachable, .timeout, .broken, .serverError, .unexpected:
            // A probe that fails says enough alone.
            guard cause != nil || failures >= Self.failuresInARow else { return nil }
        }
        // Several that were under way together are one failure.
        if let left = pause.left(now: now), left > .zero { return nil }
        let isNews = cause == nil
        cause = error
        pauses += 1
        let growing = Self.firstPause * (1 << min(pauses - 1, 4))
        let asked = error.retryAfterSeconds.map { Duration.seconds($0) } ?? .zero
        let length = max(asked, min(growing, Self.longestPause))
        _ = pause.begin(
            length, because: .init(text: error.description, isAsked: asked > .zero), now: now)
        return (isNews, length)
    }

    /// What is left of the pause; `nil` when there is none.
    func left(now: ContinuousClock.Instant) -> Duration? { pause.left(now: now) }
}
