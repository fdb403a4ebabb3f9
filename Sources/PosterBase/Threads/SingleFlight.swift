/// Requests for one key made one job with many waiters.
///
/// The first to join a key starts the job; a caller that joins before its end waits for the same
/// result. A waiter may leave early (``leave(_:waiter:)``); the job goes on without it.
package final class SingleFlight<Key: Hashable & Sendable, Result: Sendable>: Sendable {
    package typealias Waiter = UInt64
    /// Takes the result; `isFirst`: as the one who started the job.
    package typealias Completion = @Sendable (_ result: Result, _ isFirst: Bool) -> Void

    private struct State {
        var flights: [Key: [(waiter: Waiter, isFirst: Bool, complete: Completion)]] = [:]
        var lastWaiter: Waiter = 0
    }

    private let state = Monitor(State())

    package init() {}

    /// Adds a waiter. `isFirst` means that the caller must start the job, and ``complete(_:_:)``
    /// it.
    package func join(
        _ key: Key, _ complete: @escaping Completion
    ) -> (waiter: Waiter, isFirst: Bool) {
        state.withLock { state in
            state.lastWaiter += 1
            let isFirst = state.flights[key] == nil
            state.flights[key, default: []].append((state.lastWaiter, isFirst, complete))
            return (state.lastWaiter, isFirst)
        }
    }

    /// Takes a waiter out, and gives back how it wanted to be told. `nil` when its result is
    /// already on the way to it.
    package func leave(_ key: Key, waiter: Waiter) -> Completion? {
        state.withLock { state in
            guard let index = state.flights[key]?.firstIndex(where: { $0.waiter == waiter }) else {
                return nil
            }
            return state.flights[key]?.remove(at: index).complete
        }
    }

    /// Ends the key's job and gives every waiter the result, on this thread. Returns whether
    /// there was any.
    @discardableResult
    package func complete(_ key: Key, _ result: Result) -> Bool {
        let waiters = state.withLock { $0.flights.removeValue(forKey: key) ?? [] }
        for waiter in waiters { waiter.complete(result, waiter.isFirst) }
        return !waiters.isEmpty
    }

    /// How many jobs are under way.
    var count: Int { state.withLock { $0.flights.count } }
}
