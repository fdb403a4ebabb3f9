import PosterBase
import PosterFetch
import PosterKit
import PosterLists
import PosterServer

/// Ends a service within ten seconds of a signal, whatever its load.
struct Shutdown {
    /// How long requests under way may take to end by themselves.
    private static let fetchGrace = Duration.milliseconds(7500)
    /// How long answers may take to be sent, the stand-ins for what was broken off included.
    private static let answerGrace = Duration.seconds(8)
    /// When the process ends in any case: a disk or a reader may hold a thread for longer.
    private static let limit = Duration.milliseconds(9500)

    let server: Server
    let store: PosterStore
    let lists: ListStore

    /// Takes no new connections, drops what waits, lets what is under way finish, and breaks it off
    /// when its time is over. Blocks, for the limit at most; threads may still run then.
    func run() {
        let signalled = ContinuousClock.now
        store.drain()
        lists.drain()
        let isAnswered = StopSignal()
        let isClosed = StopSignal()
        _ = PosixThread(name: "grace") { [store, lists] in
            if isAnswered.wait(until: signalled + Self.fetchGrace) { return }
            store.abort()
            lists.abort()
        }
        _ = PosixThread(name: "shutdown") { [server, store, lists] in
            server.stop(grace: Self.answerGrace)
            isAnswered.raise()
            lists.close()
            store.close()
            isClosed.raise()
        }
        _ = isClosed.wait(until: signalled + Self.limit)
    }
}
