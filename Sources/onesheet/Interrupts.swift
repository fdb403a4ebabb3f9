import Glibc
import PosterBase

/// Turns SIGINT, SIGTERM and SIGHUP into a request to stop that the command finds at a good moment.
/// A second signal ends the process at once. A service may take SIGHUP for a request to reread its
/// files instead.
///
/// Make it before any thread is started, so that every thread leaves these signals to it.
final class Interrupts: Sendable {
    private struct State {
        var signal: Int32?
        var handlers: [@Sendable () -> Void] = []
    }

    private let arrived = Monitor(State())

    /// Takes the signals over from the system, until the process ends. `onHangup`, called for
    /// each SIGHUP, keeps it from being a request to stop.
    init(onHangup: (@Sendable () -> Void)? = nil) {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGINT)
        sigaddset(&set, SIGTERM)
        // nohup(1) has it ignored, and so it stays.
        if onHangup != nil || !Self.isIgnored(SIGHUP) { sigaddset(&set, SIGHUP) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        let waited = set
        let hangup = onHangup.map(HangupThread.init)
        _ = PosixThread(name: "signals") { [arrived] in
            Self.watch(waited, arrived, hangup)
        }
    }

    /// The signal that came; `nil` while none has.
    var signal: Int32? { arrived.withLock { $0.signal } }

    /// Calls `handler` once when a signal comes, or at once when one has come.
    func onArrival(_ handler: @escaping @Sendable () -> Void) {
        let hasArrived = arrived.withLock { arrived in
            if arrived.signal == nil { arrived.handlers.append(handler) }
            return arrived.signal != nil
        }
        if hasArrived { handler() }
    }

    /// Waits for a signal, and returns it. Blocks.
    func waitForSignal() -> Int32 { arrived.wait { $0.signal } }

    private static func isIgnored(_ number: Int32) -> Bool {
        let before = Glibc.signal(number, SIG_IGN)
        Glibc.signal(number, before)
        return unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    private static func watch(
        _ signals: sigset_t, _ arrived: Monitor<State>, _ hangup: HangupThread?
    ) {
        var signals = signals
        while true {
            var number: Int32 = 0
            guard sigwait(&signals, &number) == 0 else { continue }
            if number == SIGHUP, let hangup {
                hangup.wake()
                continue
            }
            let handlers = arrived.withLock { arrived -> [@Sendable () -> Void]? in
                guard arrived.signal == nil else { return nil }
                arrived.signal = number
                defer { arrived.handlers = [] }
                return arrived.handlers
            }
            guard let handlers else { _exit(ExitCode.stopped(signal: number).status) }
            arrived.notifyAll()
            StopPipe.process.stop(signal: number)
            for handler in handlers { handler() }
        }
    }
}

/// Rereads files on a thread of its own: a file may be a FIFO that has no writer, and the thread
/// that takes the signals must be there for the next one.
private final class HangupThread: Sendable {
    private let isDue = Monitor(false)

    init(_ handler: @escaping @Sendable () -> Void) {
        _ = PosixThread(name: "hangup") { [isDue] in
            while true {
                isDue.wait { isDue in
                    defer { isDue = false }
                    return isDue ? () : nil
                }
                handler()
            }
        }
    }

    /// Has the handler called; once where it is woken again before it has begun.
    func wake() {
        isDue.withLock { $0 = true }
        isDue.notifyAll()
    }
}
