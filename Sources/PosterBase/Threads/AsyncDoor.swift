/// Where async callers meet the blocking kit.
///
/// What starts an answer may look at the disk, so it is called on threads of the door's own, which
/// the first call starts: never on the caller's actor. A task that is cancelled comes back at once;
/// what it has started goes on.
package final class AsyncDoor: Sendable {
    private struct State {
        var pool: WorkerPool<Void>?
        var isClosed = false
    }

    /// A look takes a fraction of a millisecond; a second thread, for a disk that is slow for one.
    private static let threads = 2

    private let state = Monitor(State())

    package init() {}

    /// Waits for what `start` will reply, once, from some thread. `start` must reply. Throws when
    /// the task is cancelled before.
    package func reply<Value: Sendable>(
        of start: @escaping @Sendable (_ reply: @escaping @Sendable (Value) -> Void) -> Void
    ) async throws(CancellationError) -> Value {
        guard !Task.isCancelled else { throw CancellationError() }
        let handOver = HandOver<Value>()
        let isQueued = pool?.submit(.live) { _ in start { handOver.give($0) } } ?? false
        // Closed: what would have been asked says so at once.
        if !isQueued { start { handOver.give($0) } }
        guard let value = await handOver.value() else { throw CancellationError() }
        return value
    }

    /// Ends the threads. Blocks for the looks under way.
    package func close() {
        let pool = state.withLock { state in
            state.isClosed = true
            defer { state.pool = nil }
            return state.pool
        }
        pool?.stop()
    }

    private var pool: WorkerPool<Void>? {
        state.withLock { state in
            if state.pool == nil, !state.isClosed {
                state.pool = WorkerPool(name: "async", threads: Self.threads, capacity: .max) {}
            }
            return state.pool
        }
    }
}

/// One value on its way from a thread to a task.
///
/// It goes through a lock of ours: Thread Sanitizer does not see the runtime's own hand-over, and
/// calls a reader that is quick a race.
private final class HandOver<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var isCancelled = false
        var waiting: CheckedContinuation<Void, Never>?

        var isOver: Bool { value != nil || isCancelled }
    }

    private let state = Monitor(State())

    /// Gives the value, once.
    func give(_ value: Value) { end { $0.value = value } }

    /// The value; `nil` when the task is cancelled before it comes.
    func value() async -> Value? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if !state.isOver { state.waiting = continuation }
                    return state.isOver
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            end { $0.isCancelled = true }
        }
        return state.withLock { $0.value }
    }

    private func end(_ change: (inout State) -> Void) {
        let waiting = state.withLock { state in
            change(&state)
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }
}
