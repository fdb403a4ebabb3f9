import CEpoll
import Glibc
import Synchronization

/// One serving thread: it accepts, reads, asks the handler, writes and closes, for its connections
/// in turn, and waits for none of them.
///
/// Nothing here is locked, because no other thread has it. A connection is watched for changes only
/// (edge-triggered), once for its whole life, so it notes itself what the last change left to do.
final class EventLoop {
    let shared: HTTPServer.Shared
    let mailbox: Mailbox
    let counts: PhaseCounts
    let epoll: Epoll
    let configuration: HTTPConfiguration
    var connections = ConnectionTable()
    var wheel: TimerWheel
    /// The moment of this turn, in milliseconds.
    var now: Int64
    /// Connections that have used up their turn and have more to do.
    var queue: [UInt64] = []
    var inbox: Inbox
    var head = ResponseHead()
    /// How accepting stands.
    var accepting = Accepting.stopped
    /// How far the end has come.
    var ending = Ending.notBegun

    enum Accepting: Equatable {
        case running
        /// Until there is room for another connection.
        case full
        /// Until a moment, because the system had no descriptor or no memory.
        case failed(until: Int64)
        case stopped
    }

    enum Ending: Equatable {
        case notBegun
        /// Requests that have begun may finish.
        case finishing
        /// All have been answered; what has not been sent at a moment is cut off.
        case cutting(at: Int64)
    }

    private static let listenerKey = UInt64.max
    private static let mailboxKey = UInt64.max - 1
    /// The longest wait while the server ends, in milliseconds.
    private static let endingInterval: Int64 = 20

    init(
        _ shared: HTTPServer.Shared, _ mailbox: Mailbox, _ counts: PhaseCounts, _ epoll: Epoll
    ) {
        self.shared = shared
        self.mailbox = mailbox
        self.counts = counts
        self.epoll = epoll
        configuration = shared.configuration
        now = shared.configuration.clock()
        wheel = TimerWheel(now: now)
        inbox = Inbox(capacity: max(16 << 10, 2 * shared.configuration.headLimit))
    }

    /// Serves until the server has ended.
    func run() {
        _ = epoll.add(mailbox.descriptor, key: Self.mailboxKey, [.readable])
        startAccepting()
        repeat {
            let count = epoll.wait(milliseconds: patience)
            now = configuration.clock()
            for index in 0..<count {
                let (key, events) = epoll.happened(at: index)
                handle(key, events)
            }
            serveQueue()
            endOverdue()
            if case .failed(let moment) = accepting, now >= moment { startAccepting() }
        } while !isDone()
        mailbox.close()
        inbox.deallocate()
    }

    /// Milliseconds until something is due; -1: nothing is.
    private var patience: Int32 {
        if !queue.isEmpty { return 0 }
        var due = wheel.nextDue ?? .max
        if case .failed(let moment) = accepting { due = min(due, moment) }
        var wait = due == .max ? Int64.max : max(0, due - now)
        if ending != .notBegun { wait = min(wait, Self.endingInterval) }
        return wait == .max ? -1 : Int32(clamping: wait)
    }

    private func handle(_ key: UInt64, _ events: Epoll.Events) {
        switch key {
        case Self.listenerKey: accept()
        case Self.mailboxKey:
            for key in mailbox.take() {
                if let connection = connections[key] { advance(connection) }
            }
            if accepting == .full, shared.limiter.hasRoom { startAccepting() }
        default:
            // A connection that was closed in this turn may still have an event.
            guard let connection = connections[key] else { return }
            if !events.isDisjoint(with: [.readable, .peerEnded, .hungUp]) {
                connection.mayRead = true
            }
            if !events.isDisjoint(with: [.peerEnded, .hungUp]) { connection.hasPeerEnded = true }
            if events.contains(.writable) { connection.mayWrite = true }
            let isBroken =
                events.contains(.failed)
                || events.contains(.hungUp) && connection.phase != .closing
            if isBroken { close(connection) } else { advance(connection) }
        }
    }

    private func serveQueue() {
        let keys = queue
        queue.removeAll(keepingCapacity: true)
        for key in keys {
            guard let connection = connections[key] else { continue }
            connection.isQueued = false
            advance(connection)
        }
    }

    /// Begins to accept, or begins again.
    func startAccepting() {
        if accepting == .full {
            shared.paused.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        }
        guard epoll.add(shared.listener, key: Self.listenerKey, [.readable, .exclusive]) else {
            accepting = .failed(until: now + Self.acceptPause)
            return
        }
        accepting = .running
    }

    /// Accepts no more until there is room.
    func pauseAccepting() {
        epoll.remove(shared.listener)
        accepting = .full
        shared.paused.wrappingAdd(1, ordering: .sequentiallyConsistent)
        // Another thread may have closed a connection before it could see that this one waits.
        if shared.limiter.hasRoom { startAccepting() }
    }

    /// Accepts no more for a moment: a listener that is ready and cannot be served would keep the
    /// thread busy.
    func pauseAccepting(after code: Int32) {
        epoll.remove(shared.listener)
        accepting = .failed(until: now + Self.acceptPause)
        shared.handler.noted(.acceptFailed(code))
    }

    /// Accepts no more for good.
    func stopAccepting() {
        if accepting == .running { epoll.remove(shared.listener) }
        if accepting == .full {
            shared.paused.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        }
        accepting = .stopped
        let left = shared.accepting.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue
        if left == 0 { Glibc.close(shared.listener) }
    }

    /// Milliseconds until it is tried again to accept.
    private static let acceptPause: Int64 = 100
}
