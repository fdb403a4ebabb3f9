/// The silence that one upstream host is owed, and the single probe that ends it.
///
/// When the pause is over, one request may go; until it is settled, no other may. Its success
/// opens the gate for all; after a failure, its caller begins the next pause.
package struct HostPause: Sendable {
    /// How long a probe may be out before another may go, should its end never be told.
    static let longestProbe = Duration.seconds(30)
    /// How long those are sent away for whom a probe is out.
    static let probePause = Duration.seconds(1)

    private enum Phase: Sendable {
        case open
        case silent(until: ContinuousClock.Instant)
        case probing(since: ContinuousClock.Instant)
    }

    private var phase = Phase.open
    /// What the last pause was begun for.
    private(set) var cause = Cause(text: "", isAsked: false)

    package init() {}

    /// Why a host is left alone.
    package struct Cause: Equatable, Sendable {
        /// For people.
        package let text: String
        /// Whether the host asked for it, or its failures call for it.
        package let isAsked: Bool

        package init(text: String, isAsked: Bool) {
            self.text = text
            self.isAsked = isAsked
        }
    }

    /// What a request that wants to go now is told.
    package enum Verdict: Equatable, Sendable {
        /// Go.
        case go
        /// Go, and tell how it ended: all others wait for it.
        case probe
        /// Not for so long.
        case wait(Duration)
    }

    /// Judges a request, and lets it through as the probe when the pause has just ended.
    package mutating func judge(now: ContinuousClock.Instant) -> Verdict {
        switch phase {
        case .open: return .go
        case .silent(let end) where now < end: return .wait(end - now)
        case .probing(let start) where now < start + Self.longestProbe:
            return .wait(Self.probePause)
        case .silent, .probing:
            phase = .probing(since: now)
            return .probe
        }
    }

    /// Silence from `now` on. `false`: a longer pause is running already.
    package mutating func begin(
        _ pause: Duration, because cause: Cause, now: ContinuousClock.Instant
    ) -> Bool {
        let end = now + min(max(pause, .zero), RetryAfter.longestPause)
        if case .silent(let running) = phase, running > end { return false }
        phase = .silent(until: end)
        self.cause = cause
        return true
    }

    /// Any answer that asks for no pause: the probe's opens the host for all. Whether it did.
    mutating func noteAnswer() -> Bool {
        guard case .probing = phase else { return false }
        phase = .open
        return true
    }

    /// The probe came to no answer; the next request is a probe again.
    package mutating func probeFailed(now: ContinuousClock.Instant) {
        if case .probing = phase { phase = .silent(until: now) }
    }

    /// What is left of the silence; `nil` when there is none.
    package func left(now: ContinuousClock.Instant) -> Duration? {
        guard case .silent(let end) = phase, now < end else { return nil }
        return end - now
    }
}
