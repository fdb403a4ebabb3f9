import Glibc

/// The threads of one origin, all of which can be waited for.
final class ThreadGroup: Sendable {
    private struct State {
        var running: [Int: pthread_t] = [:]
        var finished: [pthread_t] = []
        var started = 0
    }

    private let state = Locked(State())

    /// Runs `work` on a thread of its own; false when the system gives no thread.
    func start(_ work: @escaping @Sendable () -> Void) -> Bool {
        for thread in state.change({ state in
            let finished = state.finished
            state.finished = []
            return finished
        }) {
            pthread_join(thread, nil)
        }
        // Started under the lock, so that the thread is in the list before it can leave it.
        return state.change { state in
            let number = state.started
            let start = Start {
                work()
                self.leave(number)
            }
            let opaque = Unmanaged.passRetained(start)
            var thread = pthread_t()
            guard pthread_create(&thread, nil, runStart, opaque.toOpaque()) == 0 else {
                opaque.release()
                return false
            }
            state.started += 1
            state.running[number] = thread
            return true
        }
    }

    /// Blocks until every thread has ended. Never call it on one of them.
    func joinAll() {
        while true {
            let threads = state.change { state in
                let all = state.finished + state.running.values
                state.finished = []
                state.running = [:]
                return all
            }
            guard !threads.isEmpty else { return }
            for thread in threads { pthread_join(thread, nil) }
        }
    }

    private func leave(_ number: Int) {
        state.change { state in
            guard let thread = state.running.removeValue(forKey: number) else { return }
            state.finished.append(thread)
        }
    }
}

/// What `pthread_create` hands over to the new thread.
private final class Start: Sendable {
    let work: @Sendable () -> Void

    init(_ work: @escaping @Sendable () -> Void) { self.work = work }
}

private func runStart(_ opaque: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let opaque else { return nil }
    Unmanaged<Start>.fromOpaque(opaque).takeRetainedValue().work()
    return nil
}
