/// One thread that calls back at deadlines.
///
/// It serves the waiters of slow jobs: what it calls must be short, such as handing a waiter's
/// reply to a worker pool. An alarm cannot be taken back: the one who set it looks whether it still
/// matters, which is cheaper than keeping track.
final class DeadlineTimer: Sendable {
    private struct Alarm {
        let at: ContinuousClock.Instant
        let ticket: UInt64
        let ring: @Sendable () -> Void
    }

    private struct State {
        /// Sorted by time, the nearest last. Nearly all deadlines are the same distance away, so
        /// a new one goes near the front of the search and insertion is cheap.
        var alarms: [Alarm] = []
        var lastTicket: UInt64 = 0
        var stopped = false
    }

    private let state = Monitor(State())
    private let thread: PosixThread

    init() {
        thread = PosixThread(name: "deadlines") { [state] in Self.ring(state) }
    }

    /// Calls `ring` once, at `deadline` or as soon after it as the machine allows.
    func schedule(
        at deadline: ContinuousClock.Instant, _ ring: @escaping @Sendable () -> Void
    ) {
        let isNearest = state.withLock { state in
            state.lastTicket += 1
            let alarm = Alarm(at: deadline, ticket: state.lastTicket, ring: ring)
            let index = state.alarms.firstIndex { $0.at <= deadline } ?? state.alarms.endIndex
            state.alarms.insert(alarm, at: index)
            return index == state.alarms.index(before: state.alarms.endIndex)
        }
        // A thread that is woken for nothing takes its core from the work that is waited for.
        if isNearest { state.signal() }
    }

    /// Rings no more and ends the thread. Blocks for the alarm that rings now. Not from an alarm.
    func stop() {
        state.withLock { state in
            state.stopped = true
            // What they would have called may own this timer in turn.
            state.alarms = []
        }
        state.signal()
        thread.join()
    }

    private static func ring(_ state: Monitor<State>) {
        while let nearest = state.wait(for: { nearest(in: $0) }) ?? nil {
            // Until it is due, a nearer one comes, or the end.
            _ = state.wait(until: nearest.at) { state in
                state.stopped || state.alarms.last?.ticket != nearest.ticket ? true : nil
            }
            let due = state.withLock { state in
                guard let last = state.alarms.last, last.at <= ContinuousClock.now, !state.stopped
                else { return Alarm?.none }
                return state.alarms.removeLast()
            }
            due?.ring()
        }
    }

    /// `nil`: wait. `.some(nil)`: the end.
    private static func nearest(in state: State) -> Alarm?? {
        if state.stopped { return .some(nil) }
        return state.alarms.last.map { .some($0) }
    }
}
