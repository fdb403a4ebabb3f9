/// Keeps the manners towards one upstream host, for all who fetch from it: so many a second, and
/// silence while it asked for silence or is in trouble. How many at once is the number of
/// transfer threads.
final class HostGovernor: Sendable {
    private struct State {
        var pause = HostPause()
        var breaker = HostBreaker()
        var budget = RetryBudget()
        var rate: RateWindow
        var liveWaiting = 0
    }

    private let state: Monitor<State>
    private let host: String
    private let shared: SharedPause?
    private let log: Log
    private let clock: Clock

    /// `perSecond` 0: no limit. `shared` tells other processes of the host's pauses; `log` is told
    /// when one begins and when the host is back.
    init(
        _ host: String = "", perSecond: Int, shared: SharedPause? = nil, log: Log = .silent,
        clock: Clock = .system
    ) {
        state = Monitor(State(rate: RateWindow(perSecond: perSecond)))
        (self.host, self.shared, self.log) = (host, shared, log)
        self.clock = clock
    }

    /// Leave to send one request; ``settle(_:_:)`` takes it back.
    enum Leave: Sendable {
        /// One of many.
        case ordinary
        /// The first after a pause; the others wait for how it ends.
        case probe
    }

    /// How a request ended.
    enum Ending: Sendable {
        /// With an answer that says something of what was asked for.
        case answered
        /// Otherwise, asking for this URL.
        case failed(FetchError, url: String)
    }

    /// Waits for leave to send one request. Blocks for the rate at most, live requests going
    /// first; throws `.backingOff` or `.hostDown` while the host's pause lasts, and `.deadline`
    /// when the rate's turn would come too late.
    func admit(
        _ priority: Priority = .live, by deadline: ContinuousClock.Instant? = nil
    ) throws(FetchError) -> Leave {
        var isCounted = false
        defer { if isCounted { state.withLock { $0.liveWaiting -= 1 } } }
        while true {
            let now = clock.instant()
            shared?.passOnNews { left, cause in
                let isFirst = state.withLock { state in
                    let isSilent = state.pause.left(now: now) != nil
                    return state.pause.begin(left, because: cause, now: now) && !isSilent
                }
                if isFirst, left > .zero { tell(left, cause) }
            }
            switch state.withLock({ Self.step(&$0, priority, now) }) {
            case .granted(.probe) where shared?.beginProbe() == false:
                throw holdBack(now)
            case .granted(let leave): return leave
            case .refused(let pause, let cause): throw Self.refusal(pause, cause)
            case .turn(let turn):
                if let deadline, deadline < turn {
                    throw FetchError(.deadline, "the rate limit allows no request in time")
                }
                if priority == .live, !isCounted {
                    state.withLock { $0.liveWaiting += 1 }
                    isCounted = true
                }
                // A pause that begins meanwhile ends the wait.
                _ = state.wait(until: turn) { $0.pause.left(now: self.clock.instant()) }
            }
        }
    }

    /// Another process probes: this one waits for how that ends.
    private func holdBack(_ now: ContinuousClock.Instant) -> FetchError {
        let cause = state.withLock { state in
            let cause = state.pause.cause
            _ = state.pause.begin(HostPause.probePause, because: cause, now: now)
            return cause
        }
        return Self.refusal(HostPause.probePause, cause)
    }

    private static func refusal(_ pause: Duration, _ cause: HostPause.Cause) -> FetchError {
        let seconds = pause.wholeSeconds
        return FetchError(
            cause.isAsked ? .backingOff : .hostDown,
            "not asked for \(seconds) s more, because of \(cause.text)",
            retryAfterSeconds: seconds)
    }

    private enum Step: Sendable {
        case granted(Leave)
        case refused(Duration, because: HostPause.Cause)
        case turn(ContinuousClock.Instant)
    }

    private static func step(
        _ state: inout State, _ priority: Priority, _ now: ContinuousClock.Instant
    ) -> Step {
        if let left = state.pause.left(now: now) {
            return .refused(left, because: state.pause.cause)
        }
        let turn = state.rate.next(now: now)
        guard turn <= now else { return .turn(turn) }
        // The slot that has come free is a live request's, if one waits for it.
        if priority == .background, state.liveWaiting > 0 {
            return .turn(now + .milliseconds(5))
        }
        switch state.pause.judge(now: now) {
        case .wait(let pause): return .refused(pause, because: state.pause.cause)
        case .go:
            state.rate.note(at: now)
            return .granted(.ordinary)
        case .probe:
            state.rate.note(at: now)
            return .granted(.probe)
        }
    }

    /// Tells how a request ended that had leave. A pause that the host asked for, or that its
    /// troubles call for, holds for everybody from here on. Blocks for the disk at most.
    func settle(_ leave: Leave, _ ending: Ending) {
        let now = clock.instant()
        switch state.withLock({ Self.note(ending, of: leave, in: &$0, now) }) {
        case nil: break
        case .paused(let pause, let cause, let isFirst):
            state.signal()
            shared?.write(pause, because: cause)
            if isFirst { tell(pause, cause) }
        case .back:
            shared?.clear()
            log(.info, "upstream_back", ["host": host])
        }
        if case .probe = leave { shared?.endProbe() }
    }

    /// Tells the operator of a pause that begins, whoever called for it.
    private func tell(_ pause: Duration, _ cause: HostPause.Cause) {
        log(
            .warn, "upstream_paused",
            ["host": host, "seconds": String(pause.wholeSeconds), "because": cause.text])
    }

    private enum News: Sendable {
        /// `isFirst`: the host was not silent before.
        case paused(Duration, because: HostPause.Cause, isFirst: Bool)
        case back
    }

    private static func note(
        _ ending: Ending, of leave: Leave, in state: inout State, _ now: ContinuousClock.Instant
    ) -> News? {
        guard case .failed(let error, let url) = ending, !HostBreaker.isAnswer(error.reason)
        else {
            state.breaker.noteAnswer()
            return state.pause.noteAnswer() ? .back : nil
        }
        let asked = error.retryAfterSeconds.map { Duration.seconds($0) }
        let called =
            switch leave {
            case .ordinary: state.breaker.note(error.reason, of: url, now: now)
            case .probe: state.breaker.noteProbe(error.reason)
            }
        guard let pause = asked ?? called else {
            if case .probe = leave { state.pause.probeFailed(now: now) }
            return nil
        }
        let isFirst = state.pause.left(now: now) == nil
        let cause = HostPause.Cause(text: error.description, isAsked: asked != nil)
        guard state.pause.begin(pause, because: cause, now: now) else { return nil }
        return .paused(pause, because: cause, isFirst: isFirst)
    }

    /// Counts a first attempt, which earns a part of a retry.
    func noteFirstAttempt() { state.withLock { $0.budget.earn() } }

    /// Whether a retry may be sent: retries may add a third to what the host is asked.
    func grantsRetry() -> Bool { state.withLock { $0.budget.spend() } }

    /// What is left of the pause; `nil` when there is none.
    var pauseLeft: Duration? { state.withLock { $0.pause.left(now: clock.instant()) } }

    /// What the last pause was begun for.
    var pauseCause: HostPause.Cause { state.withLock { $0.pause.cause } }
}
