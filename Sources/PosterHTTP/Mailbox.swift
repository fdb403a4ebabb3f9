import CEpoll
import Glibc
import PosterBase

/// Through which other threads wake a serving thread, and tell it which connections have their
/// answers.
final class Mailbox: Sendable {
    private struct State {
        var connections: [UInt64] = []
        var isWoken = false
        var isClosed = false
    }

    /// An eventfd(2), readable while there is something to look at.
    let descriptor: Int32
    private let state = Monitor(State())

    /// `nil` when the system has no descriptor left.
    init?() {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        if descriptor < 0 { return nil }
    }

    /// Says that a connection's answer is there. From any thread; once the mailbox is closed,
    /// nothing happens.
    func post(_ connection: UInt64) {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.connections.append(connection)
            wake(&state)
        }
    }

    /// Makes the serving thread look up from its wait. From any thread.
    func wake() {
        state.withLock { state in
            if !state.isClosed { wake(&state) }
        }
    }

    /// What has been posted since the last call. On the serving thread.
    func take() -> [UInt64] {
        state.withLock { state in
            if state.isWoken {
                var count: UInt64 = 0
                _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
                state.isWoken = false
            }
            defer { state.connections = [] }
            return state.connections
        }
    }

    /// Closes the descriptor. On the serving thread, at its end.
    func close() {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.isClosed = true
            // Under the lock, so that no other thread writes to a number that is another file's.
            Glibc.close(descriptor)
        }
    }

    private func wake(_ state: inout State) {
        guard !state.isWoken else { return }
        var one: UInt64 = 1
        _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
        state.isWoken = true
    }

    deinit { close() }
}
