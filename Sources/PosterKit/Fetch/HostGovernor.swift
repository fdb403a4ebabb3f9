/// Keeps the manners towards one upstream host, for all who fetch from it: so many a second, and
/// silence while it asked for silence. How many at once is the number of transfer threads.
final class HostGovernor: Sendable {
    private struct State {
        var pause = HostPause()
        var rate: RateWindow
        var liveWaiting = 0
    }

    private let state: Monitor<State>
    private let now: @Sendable () -> ContinuousClock.Instant

    /// `perSecond` 0: no limit.
    init(
        perSecond: Int, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        state = Monitor(State(rate: RateWindow(perSecond: perSecond)))
        self.now = now
    }

    /// Leave to send one request; ``HostGovernor/settle(_:_:)`` takes it back.
    enum Leave: Sendable {
        /// One of many.
        case ordinary
        /// The first after a pause; the others wait for how it ends.
        case probe
    }

    /// Waits for leave to send one request. Blocks for the rate at most, live requests going
    /// first; throws `.backingOff` while the host's pause lasts and `.deadline` when the rate's
    /// turn would come too late.
    func admit(
        _ priority: Priority = .live, by deadline: ContinuousClock.Instant? = nil
    ) throws(FetchError) -> Leave {
        var isCounted = false
        defer { if isCounted { state.withLock { $0.liveWaiting -= 1 } } }
        while true {
            let now = now()
            switch state.withLock({ Self.step(&$0, priority, isCounted, now) }) {
            case .granted(let leave): return leave
            case .refused(let pause):
                throw FetchError(
                    .backingOff, "the host asked for a pause, \(pause.wholeSeconds) s of it left",
                    retryAfterSeconds: pause.wholeSeconds)
            case .turn(let turn):
                if let deadline, deadline < turn {
                    throw FetchError(.deadline, "the rate limit allows no request in time")
                }
                if priority == .live, !isCounted {
                    state.withLock { $0.liveWaiting += 1 }
                    isCounted = true
                }
                // A pause that begins meanwhile ends the wait.
                _ = state.wait(until: turn) { $0.pause.left(now: self.now()) }
            }
        }
    }

    private enum Step: Sendable {
        case granted(Leave)
        case refused(Duration)
        case turn(ContinuousClock.Instant)
    }

    private static func step(
        _ state: inout State, _ priority: Priority, _ isCounted: Bool,
        _ now: ContinuousClock.Instant
    ) -> Step {
        if let left = state.pause.left(now: now) { return .refused(left) }
        let turn = state.rate.next(now: now)
        guard turn <= now else { return .turn(turn) }
        // The slot that has come free is a live request's, if one waits for it.
        if priority == .background, state.liveWaiting > 0 {
            return .turn(now + .milliseconds(5))
        }
        switch state.pause.judge(now: now) {
        case .wait(let pause): return .refused(pause)
        case .go:
            state.rate.note(at: now)
            return .granted(.ordinary)
        case .probe:
            state.rate.note(at: now)
            return .granted(.probe)
        }
    }

    /// Tells how a request ended that had leave; `isAnswer`: with any answer of the host that
    /// does not ask for another pause.
    func settle(_ leave: Leave, isAnswer: Bool) {
        guard case .probe = leave else { return }
        state.withLock { state in
            if isAnswer {
                state.pause.probeSucceeded()
            } else {
                state.pause.probeFailed(now: now())
            }
        }
    }

    /// Silence for so long: what a `Retry-After` asked for, an hour at most.
    func backOff(for pause: Duration) {
        state.withLock { $0.pause.begin(pause, now: now()) }
        state.signal()
    }

    /// What is left of the pause; `nil` when there is none.
    var pauseLeft: Duration? { state.withLock { $0.pause.left(now: now()) } }
}
