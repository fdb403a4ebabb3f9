import Glibc
import PosterBase

/// Wakes every thread that waits for a pipe, a FIFO or a terminal once a signal asks the process
/// to stop.
///
/// A read or a write that blocks does not end for a signal that another thread takes. So a thread
/// first waits with poll(2) for the file and for a pipe of our own, whose end is closed when the
/// signal comes. Without ``Interrupts`` nothing closes it, and the signal ends the process itself.
final class StopPipe: Sendable {
    private struct State {
        var writeEnd: Int32
        var signal: Int32?
        var moment: ContinuousClock.Instant?
    }

    /// That of the process, as signals are the process's.
    static let process = StopPipe()

    private let readEnd: Int32
    private let state: Monitor<State>

    /// How long after the signal a slow reader of our output is still waited for.
    private static let grace = Duration.milliseconds(500)

    init() {
        var ends: [Int32] = [-1, -1]
        // Without descriptors left there is nothing to wake by; poll(2) ignores -1.
        if pipe(&ends) != 0 { ends = [-1, -1] }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        readEnd = ends[0]
        state = Monitor(State(writeEnd: ends[1]))
    }

    deinit {
        let writeEnd = state.withLock { $0.writeEnd }
        for end in [readEnd, writeEnd] where end >= 0 { close(end) }
    }

    /// The signal that asked the process to stop; `nil` while none has.
    var signal: Int32? { state.withLock { $0.signal } }

    /// Ends every wait, those that begin later included.
    func stop(signal: Int32) {
        state.withLock { state in
            guard state.signal == nil else { return }
            (state.signal, state.moment) = (signal, .now)
            if state.writeEnd >= 0 { close(state.writeEnd) }
            state.writeEnd = -1
        }
    }

    /// Waits until `file` has something to read, or is at its end. Returns `false` when the
    /// process is asked to stop. Blocks.
    func waitToRead(_ file: Int32) -> Bool {
        _ = wait(for: file, POLLIN, milliseconds: -1)
        return signal == nil
    }

    /// Waits until `file` takes something, or has failed. Returns `false` when the process was
    /// asked to stop half a second ago and the file takes nothing yet. Blocks.
    func waitToWrite(_ file: Int32) -> Bool {
        if wait(for: file, POLLOUT, milliseconds: -1) { return true }
        guard let moment = state.withLock({ $0.moment }) else { return true }
        let left = (moment + Self.grace - .now) / .milliseconds(1)
        var polled = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
        return poll(&polled, 1, Int32(max(0, left))) > 0
    }

    /// Waits for a time, or until the process is asked to stop; then `false`. Blocks.
    func pause(milliseconds: Int32) -> Bool {
        _ = wait(for: -1, POLLIN, milliseconds: milliseconds)
        return signal == nil
    }

    /// Whether `file` is ready when the wait ends.
    private func wait(for file: Int32, _ events: Int32, milliseconds: Int32) -> Bool {
        var polled = [
            pollfd(fd: file, events: Int16(events), revents: 0),
            pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&polled, 2, milliseconds) < 0 && errno == EINTR {}
        return polled[0].revents != 0
    }
}
