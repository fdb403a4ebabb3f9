import PosterBase

/// Leave to send one request to a host, which holds a place among those that are under way and a turn
/// of the second's. ``HostGovernor/settle(_:_:)`` takes it back.
///
/// The turn is held until the request has arrived for certain, and rests for a second from then on.
/// So no second of the host's own holds more requests than there are turns, however long a request is
/// under way. A request with redirects is several, each with a turn.
package final class Permit: Sendable {
    private struct State {
        var grant: HostLimits.Grant
        var isSent = false
        var isReleased = false
    }

    /// The first request after a pause; the others wait for how it ends.
    let isProbe: Bool
    private let governor: HostGovernor
    private let priority: Priority
    private let state: Monitor<State>

    init(
        _ grant: HostLimits.Grant, of governor: HostGovernor, _ priority: Priority, isProbe: Bool
    ) {
        (self.governor, self.priority, self.isProbe) = (governor, priority, isProbe)
        state = Monitor(State(grant: grant))
    }

    deinit { release() }

    /// Sees to a turn for the next request. Blocks, when the last one was used up, until `end` at
    /// most; then throws `.deadline`.
    func prepare(by end: ContinuousClock.Instant) throws(FetchError) {
        guard state.withLock({ $0.grant.turn == nil }) else { return }
        let turn = try governor.nextTurn(priority, by: end)
        state.withLock { ($0.grant.turn, $0.isSent) = (turn, false) }
    }

    /// The request goes out now. `false`: it must not, because the permit has run out: this process
    /// was stopped for so long that another may have its place.
    ///
    /// Where a kept connection turns out to be dead, libcurl sends the request again on another one,
    /// which is one more to the host. Blocks for its turn.
    func noteSending(by end: ContinuousClock.Instant) -> Bool {
        guard governor.holds(state.withLock { $0.grant }) else { return false }
        if state.withLock({ $0.isSent }) {
            noteArrival()
            do throws(FetchError) { try prepare(by: end) } catch { return false }
        }
        state.withLock { $0.isSent = true }
        return true
    }

    /// The request that was sent has reached the host, or never will: its turn begins to rest.
    func noteArrival() {
        let turn = state.withLock { state -> SharedSlots.Slot? in
            guard state.isSent, let turn = state.grant.turn else { return nil }
            state.grant.turn = nil
            return turn
        }
        if let turn { governor.giveBack(turn: turn) }
    }

    /// Gives all back that it still holds. A turn without a request was not used.
    func release() {
        noteArrival()
        let grant = state.withLock { state -> HostLimits.Grant? in
            defer { state.isReleased = true }
            return state.isReleased ? nil : state.grant
        }
        if let grant { governor.giveBack(grant) }
    }
}
