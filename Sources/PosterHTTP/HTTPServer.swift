import Glibc
import PosterBase
import Synchronization

/// How an ``HTTPServer`` serves.
package struct HTTPConfiguration: Sendable {
    /// Serving threads, at least 1.
    package var threads = 1
    /// Connections at once; more wait in the system's backlog.
    package var connectionLimit = 4096
    /// Connections of one client at once; `nil`: any number. Trusted proxies have no limit.
    package var connectionsPerClient: Int?
    /// The most bytes of a request's head.
    package var headLimit = 8 << 10
    /// How long each phase of a connection may last.
    package var deadlines = ConnectionDeadlines()
    /// Peers whose `X-Forwarded-For` is believed.
    package var trustedProxies: [AddressRange] = []
    /// Milliseconds of a clock that never goes back, for the deadlines.
    package var clock: @Sendable () -> Int64 = { milliseconds() }

    /// The defaults.
    package init() {}
}

/// An HTTP/1.1 server (RFC 9112) for requests without bodies, over epoll(7).
///
/// Each serving thread has an ``EventLoop`` with connections of its own: from the accept to the
/// close, only that thread touches them. Answers that other threads make come back through the
/// thread's ``Mailbox``.
package final class HTTPServer: Sendable {
    private let shared: Shared
    private let mailboxes: [Mailbox]
    private let counts: [PhaseCounts]
    private let threads: [PosixThread]

    /// What all serving threads have in common.
    final class Shared: Sendable {
        let handler: any RequestHandler
        let configuration: HTTPConfiguration
        let limiter: ConnectionLimiter
        let listener: Int32
        /// When the end must be reached, in milliseconds of the machine's monotonic clock; `.max`
        /// while it has not begun.
        let ending = Atomic<Int64>(.max)
        /// Threads that still accept. The last one closes the listening socket.
        let accepting: Atomic<Int>
        /// Threads that accept nothing because the limit of connections is reached.
        let paused = Atomic<Int>(0)
        /// Set once, before the first connection.
        nonisolated(unsafe) fileprivate(set) var mailboxes: [Mailbox] = []

        init(
            _ handler: any RequestHandler, _ configuration: HTTPConfiguration, listener: Int32
        ) {
            self.handler = handler
            self.configuration = configuration
            self.listener = listener
            limiter = ConnectionLimiter(
                limit: configuration.connectionLimit, perClient: configuration.connectionsPerClient)
            accepting = Atomic(max(1, configuration.threads))
        }

        /// Wakes the threads that accept nothing, because there is room again.
        func resumePaused() {
            guard paused.load(ordering: .sequentiallyConsistent) > 0 else { return }
            for mailbox in mailboxes { mailbox.wake() }
        }
    }

    /// Starts to serve on a listening socket, which is the server's to close from now on. `nil`,
    /// and the socket is left open, when the system has no descriptor left.
    package init?(
        _ handler: any RequestHandler, listener: Int32, _ configuration: HTTPConfiguration
    ) {
        SocketOptions.prepare(listener: listener)
        let shared = Shared(handler, configuration, listener: listener)
        let threadCount = max(1, configuration.threads)
        let mailboxes = (0..<threadCount).compactMap { _ in Mailbox() }
        let epolls = (0..<threadCount).map { _ in Epoll.open() }
        guard mailboxes.count == threadCount, epolls.allSatisfy({ $0 >= 0 }) else {
            for epoll in epolls where epoll >= 0 { close(epoll) }
            return nil
        }
        let counts = (0..<threadCount).map { _ in PhaseCounts() }
        shared.mailboxes = mailboxes
        (self.shared, self.mailboxes, self.counts) = (shared, mailboxes, counts)
        threads = (0..<threadCount).map { index in
            let (mailbox, counts, epoll) = (mailboxes[index], counts[index], epolls[index])
            return PosixThread(name: "serving") {
                EventLoop(shared, mailbox, counts, Epoll(epoll)).run()
            }
        }
    }

    /// How many connections there are, by what they are doing.
    var connectionCounts: [ConnectionPhase: Int] { connectionCounter() }

    /// Reads ``connectionCounts``, without keeping the server.
    package var connectionCounter: @Sendable () -> [ConnectionPhase: Int] {
        let counts = counts
        return {
            Dictionary(
                uniqueKeysWithValues: ConnectionPhase.allCases.map { phase in
                    (phase, counts.reduce(0) { $0 + $1[phase] })
                })
        }
    }

    /// Whether its end has begun.
    var isEnding: Bool { shared.ending.load(ordering: .acquiring) < .max }

    /// Makes every serving thread look at its deadlines.
    func wake() {
        for mailbox in mailboxes { mailbox.wake() }
    }

    /// Ends: takes no new connection at once, lets requests that have begun finish for `grace`,
    /// answers those that are still being made shortly before its end with
    /// ``RequestHandler/endingResponse``, and closes everything. Blocks until the threads have ended.
    /// Later calls do nothing.
    package func stop(grace: Duration) {
        let end = milliseconds() + max(0, grace.inMilliseconds - EventLoop.cuttingTime)
        let (isFirst, _) = shared.ending.compareExchange(
            expected: .max, desired: end, ordering: .acquiringAndReleasing)
        guard isFirst else { return }
        wake()
        for thread in threads { thread.join() }
    }
}
