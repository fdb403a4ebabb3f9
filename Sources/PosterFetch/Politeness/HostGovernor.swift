package import PosterBase

/// Decides whether a request to one upstream host may be sent, and when: at most so many at once
/// and a second, over all processes of a cache directory, and none while the host asked for silence
/// or is in trouble.
///
/// It puts together what these decide, each alone:
///
/// - `HostLimits`: how many requests may be under way, and be sent a second;
/// - `SharedSlots`, `SlotRecord`, `LockFile`: which process holds a place or a turn, and for how long;
/// - `Permit`: when a turn begins to rest, which is when its request has arrived;
/// - `HostPause`: whether the host is left alone, and which request probes it afterwards;
/// - `PauseRecord`, `SharedPause`: what other processes know of that, also after a restart;
/// - `HostBreaker`: which failures are the host's, and how long a pause they call for;
/// - `RetryAfter`: how long a pause an answer asks for;
/// - `RetryPolicy`, `RetryBudget`: whether and when a failed request is sent again;
/// - `FailureLifetime`: for how long a poster that failed is not asked for;
/// - `KeyClaims`: which process fetches a poster that several want.
///
/// `PosterFetcher` and `ListFetcher` judge what a status means.
package final class HostGovernor: Sendable {
    private struct State {
        var pause = HostPause()
        var breaker = HostBreaker()
        var budget = RetryBudget()
        var liveWaiting = 0
        /// How often something was given back, so that a waiter sees that it may look again.
        var releases = 0
        var isClosed = false
    }

    private let state: Monitor<State>
    private let host: String
    private let limits: HostLimits
    private let shared: SharedPause?
    private let log: Log
    private let clock: TimeSource

    /// `shared` tells other processes of the host's pauses; `log` is told when one begins and when
    /// the host is back.
    package init(
        _ host: String = "", _ limits: HostLimits, shared: SharedPause? = nil, log: Log = .silent,
        clock: TimeSource = .system
    ) {
        state = Monitor(State())
        (self.host, self.limits, self.shared, self.log) = (host, limits, shared, log)
        self.clock = clock
    }

    /// Limits for this process alone; `perSecond` 0: none.
    convenience init(
        _ host: String = "", perSecond: Int, shared: SharedPause? = nil, log: Log = .silent,
        clock: TimeSource = .system
    ) {
        self.init(
            host,
            HostLimits(
                concurrency: 0, perSecond: perSecond, timeout: Self.usualTimeout, clock: clock),
            shared: shared, log: log, clock: clock)
    }

    private static let usualTimeout = Duration.seconds(15)
    /// How often a waiter looks whether another process gave something back.
    private static let look = Duration.milliseconds(10)

    /// How a request ended.
    package enum Ending: Sendable {
        /// With an answer that says something of what was asked for.
        case answered
        /// Otherwise, asking for this URL.
        case failed(FetchError, url: String)
        /// It was not sent.
        case unused
    }

    /// Waits for leave to send one request. Blocks for the limits at most, live requests going
    /// first; throws `.backingOff` or `.hostDown` while the host's pause lasts, `.deadline` when
    /// its turn would come too late, and `.closed`.
    package func admit(
        _ priority: Priority = .live, by deadline: ContinuousClock.Instant? = nil
    ) throws(FetchError) -> Permit {
        var isCounted = false
        defer { if isCounted { state.withLock { $0.liveWaiting -= 1 } } }
        while true {
            let now = clock.instant()
            passOnNews(now)
            let (refusal, releases, yields) = state.withLock { state in
                (
                    Self.refusal(&state, now), state.releases,
                    priority == .background && state.liveWaiting > 0
                )
            }
            if let refusal { throw refusal }
            switch yields ? .wait(until: now + Self.look, maySooner: false) : limits.take(priority)
            {
            case .granted(let grant): return try permit(grant, priority, now)
            case .wait(let turn, let maySooner):
                if let deadline, deadline < (maySooner ? now : turn) {
                    throw FetchError(.deadline, "the limits allow no request in time")
                }
                if priority == .live, !isCounted {
                    state.withLock { $0.liveWaiting += 1 }
                    isCounted = true
                }
                pause(until: maySooner ? min(turn, now + Self.look) : turn, now, since: releases)
            }
        }
    }

    /// Waits for a turn, for one more request of a permit. Blocks, until `end` at most.
    func nextTurn(
        _ priority: Priority, by end: ContinuousClock.Instant
    ) throws(FetchError) -> SharedSlots.Slot? {
        while true {
            let now = clock.instant()
            let (refusal, releases) = state.withLock { (Self.refusal(&$0, now), $0.releases) }
            if let refusal { throw refusal }
            switch limits.takeTurn() {
            case .granted(let grant): return grant.turn
            case .wait(let turn, let maySooner):
                guard now < end else {
                    throw FetchError(.deadline, "the limits allow no request in time")
                }
                pause(until: maySooner ? min(turn, now + Self.look) : turn, now, since: releases)
            }
        }
    }

    /// Waits until a moment of the clock, the beginning of a pause, the end of the store, or until
    /// this process gave something back.
    private func pause(
        until moment: ContinuousClock.Instant, _ now: ContinuousClock.Instant, since releases: Int
    ) {
        // A test's clock may stand still.
        let end = ContinuousClock.now + (moment - now)
        _ = state.wait(until: end) { state -> Bool? in
            let isOver =
                state.isClosed || state.releases != releases
                || state.pause.left(now: self.clock.instant()) != nil
            return isOver ? true : nil
        }
    }

    private func passOnNews(_ now: ContinuousClock.Instant) {
        shared?.passOnNews { left, cause in
            let isFirst = state.withLock { state in
                let isSilent = state.pause.left(now: now) != nil
                return state.pause.begin(left, because: cause, now: now) && !isSilent
            }
            if isFirst, left > .zero { tell(left, cause) }
        }
    }

    private static func refusal(_ state: inout State, _ now: ContinuousClock.Instant) -> FetchError?
    {
        if state.isClosed { return FetchError(.closed, "the store is closing") }
        return state.pause.left(now: now).map { refusal($0, state.pause.cause) }
    }

    private func permit(
        _ grant: HostLimits.Grant, _ priority: Priority, _ now: ContinuousClock.Instant
    ) throws(FetchError) -> Permit {
        let (verdict, cause) = state.withLock { ($0.pause.judge(now: now), $0.pause.cause) }
        switch verdict {
        case .go: return Permit(grant, of: self, priority, isProbe: false)
        case .probe where shared?.beginProbe() == false:
            giveBack(grant)
            throw holdBack(now)
        case .probe: return Permit(grant, of: self, priority, isProbe: true)
        case .wait(let pause):
            giveBack(grant)
            throw Self.refusal(pause, cause)
        }
    }

    /// Whether what a permit holds was not taken away meanwhile.
    func holds(_ grant: HostLimits.Grant) -> Bool {
        [grant.place, grant.turn].compactMap(\.self).allSatisfy { clock.instant() < $0.leaseEnd }
    }

    /// For permits.
    func giveBack(turn: SharedSlots.Slot) { limits.giveBack(turn: turn) }

    /// For permits, and what became of none.
    func giveBack(_ grant: HostLimits.Grant) {
        limits.giveBack(grant)
        state.withLock { $0.releases &+= 1 }
        state.notifyAll()
    }

    /// Gives no leave any more, and ends every wait for it.
    package func close() {
        state.withLock { $0.isClosed = true }
        state.notifyAll()
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

    /// Takes a permit back, and is told how its request ended. A pause that the host asked for, or
    /// that its troubles call for, holds for everybody from here on. Blocks for the disk at most.
    package func settle(_ permit: Permit, _ ending: Ending) {
        let now = clock.instant()
        permit.release()
        switch state.withLock({ Self.note(ending, isProbe: permit.isProbe, in: &$0, now) }) {
        case nil: break
        case .paused(let pause, let cause, let isFirst):
            state.notifyAll()
            shared?.write(pause, because: cause)
            if isFirst { tell(pause, cause) }
        case .back:
            shared?.clear()
            log(.info, "upstream_back", ["host": host])
        }
        if permit.isProbe { shared?.endProbe() }
    }

    /// Tells the operator of a pause that begins, in this process or another.
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
        _ ending: Ending, isProbe: Bool, in state: inout State, _ now: ContinuousClock.Instant
    ) -> News? {
        if case .unused = ending {
            if isProbe { state.pause.probeFailed(now: now) }
            return nil
        }
        guard case .failed(let error, let url) = ending, !HostBreaker.isAnswer(error.reason)
        else {
            state.breaker.noteAnswer()
            return state.pause.noteAnswer() ? .back : nil
        }
        let asked = error.retryAfterSeconds.map { Duration.seconds($0) }
        let called =
            isProbe
            ? state.breaker.noteProbe(error.reason)
            : state.breaker.note(error.reason, of: url, now: now)
        guard let pause = asked ?? called else {
            if isProbe { state.pause.probeFailed(now: now) }
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
    package var pauseLeft: Duration? { state.withLock { $0.pause.left(now: clock.instant()) } }

    /// What the last pause was begun for.
    package var pauseCause: HostPause.Cause { state.withLock { $0.pause.cause } }
}
