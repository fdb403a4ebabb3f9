/// One thread that calls back at deadlines.
///
/// It serves the waiters of slow jobs: what it calls must be short, such as handing a waiter's
/// reply to a worker pool. An alarm cannot be taken back: the one who set it looks whether it still
/// matters, which is cheaper than keeping track.
package final class DeadlineTimer: Sendable {
    private struct Alarm {
        let at: ContinuousClock.Instant
        let ticket: UInt64
        let ring: @Sendable () -> Void

        /// Whether it rings before another: of two with one deadline, the one that was set first.
        func isBefore(_ other: Alarm) -> Bool { (at, ticket) < (other.at, other.ticket) }
    }

    private struct State {
        /// A binary heap: no alarm is before the one at half its index. A flood sets tens of
        /// thousands, each of which must cost no more than a few steps.
        var alarms: [Alarm] = []
        var lastTicket: UInt64 = 0
        var stopped = false

        mutating func insert(_ alarm: Alarm) {
            alarms.append(alarm)
            var index = alarms.count - 1
            while index > 0, alarms[index].isBefore(alarms[(index - 1) / 2]) {
                alarms.swapAt(index, (index - 1) / 2)
                index = (index - 1) / 2
            }
        }

        /// Takes the nearest alarm out; there must be one.
        mutating func removeFirst() -> Alarm {
            alarms.swapAt(0, alarms.count - 1)
            let first = alarms.removeLast()
            var index = 0
            while true {
                var least = index
                for child in [2 * index + 1, 2 * index + 2]
                where child < alarms.count && alarms[child].isBefore(alarms[least]) {
                    least = child
                }
                guard least != index else { return first }
                alarms.swapAt(index, least)
                index = least
            }
        }
    }

    private let state = Monitor(State())
    private let thread: PosixThread

    package init() {
        thread = PosixThread(name: "deadlines") { [state] in Self.ring(state) }
    }

    /// Calls `ring` once, at `deadline` or as soon after it as the machine allows.
    package func schedule(
        at deadline: ContinuousClock.Instant, _ ring: @escaping @Sendable () -> Void
    ) {
        let isNearest = state.withLock { state in
            guard !state.stopped else { return false }
            state.lastTicket += 1
            state.insert(Alarm(at: deadline, ticket: state.lastTicket, ring: ring))
            return state.alarms[0].ticket == state.lastTicket
        }
        // A thread that is woken for nothing takes its core from the work that is waited for.
        if isNearest { state.notifyAll() }
    }

    /// Rings no more and ends the thread. Blocks for the alarm that rings now, but from an alarm.
    package func stop() {
        let left = state.withLock { state in
            state.stopped = true
            defer { state.alarms = [] }
            return state.alarms
        }
        state.notifyAll()
        thread.join()
        // What they would have called may own this timer in turn, so it ends outside of the lock.
        _ = left
    }

    private static func ring(_ state: Monitor<State>) {
        while let nearest = state.wait(for: { nearest(in: $0) }) ?? nil {
            // Until it is due, a nearer one comes, or the end.
            _ = state.wait(until: nearest.at) { state in
                state.stopped || state.alarms.first?.ticket != nearest.ticket ? true : nil
            }
            let due = state.withLock { state in
                guard let first = state.alarms.first, first.at <= ContinuousClock.now
                else { return Alarm?.none }
                return state.removeFirst()
            }
            due?.ring()
        }
    }

    /// `nil`: wait. `.some(nil)`: the end.
    private static func nearest(in state: State) -> Alarm?? {
        if state.stopped { return .some(nil) }
        return state.alarms.first.map { .some($0) }
    }
}
