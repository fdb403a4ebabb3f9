/// The silence that one upstream host is owed, and the single probe that ends it.
///
/// When the pause is over, one request may go; until it is settled, no other may. Its success
/// opens the gate for all, its failure is reported by whoever asks for the next pause.
struct HostPause: Sendable {
    /// How long a probe may be out before another may go, should its end never be told.
    static let longestProbe = Duration.seconds(30)

    private enum Phase: Sendable {
        case open
        case silent(until: ContinuousClock.Instant)
        case probing(since: ContinuousClock.Instant)
    }

    private var phase = Phase.open

    /// What a request that wants to go now is told.
    enum Verdict: Equatable, Sendable {
        /// Go.
        case go
        /// Go, and tell how it ended: all others wait for it.
        case probe
        /// Not for so long.
        case wait(Duration)
    }

    /// Judges a request, and lets it through as the probe when the pause has just ended.
    mutating func judge(now: ContinuousClock.Instant) -> Verdict {
        switch phase {
        case .open: return .go
        case .silent(let end) where now < end: return .wait(end - now)
        case .probing(let start) where now < start + Self.longestProbe:
            return .wait(RetryAfter.leastPause)
        case .silent, .probing:
            phase = .probing(since: now)
            return .probe
        }
    }

    /// Silence from `now` on. A shorter pause does not shorten one that is running.
    mutating func begin(_ pause: Duration, now: ContinuousClock.Instant) {
        let end = now + min(max(pause, .zero), RetryAfter.longestPause)
        if case .silent(let running) = phase, running > end { return }
        phase = .silent(until: end)
    }

    /// The probe came back with an answer, so the host is there again.
    mutating func probeSucceeded() {
        if case .probing = phase { phase = .open }
    }

    /// The probe did not come to an answer; the next request is a probe again.
    mutating func probeFailed(now: ContinuousClock.Instant) {
        if case .probing = phase { phase = .silent(until: now) }
    }

    /// What is left of the silence; `nil` when there is none.
    func left(now: ContinuousClock.Instant) -> Duration? {
        guard case .silent(let end) = phase, now < end else { return nil }
        return end - now
    }
}
