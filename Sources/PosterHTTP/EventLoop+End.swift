import CEpoll
import Glibc
import Synchronization

/// How connections end: by deadlines, by the client, after the last answer, or with the server.
extension EventLoop {
    /// Milliseconds between two looks whether a client has received everything.
    private static let closingInterval: Int64 = 2000
    /// The same while the server ends.
    private static let closingIntervalAtEnd: Int64 = 50
    /// Bytes that a client may send after the last answer.
    private static let discardLimit = 256 << 10
    /// Milliseconds for sending the last answers when the server ends.
    static let cuttingTime: Int64 = 250
    /// Milliseconds for the first request of a client that connected before the server's end.
    private static let firstRequestTime: Int64 = 250

    /// Goes on to a phase, and sets its deadline.
    func enter(_ phase: ConnectionPhase, _ connection: Connection) {
        let deadlines = configuration.deadlines
        if phase == .closing {
            // The client's receipt belongs to the answer, which has begun already.
            connection.closingDeadline =
                connection.phase == .sending
                ? connection.deadline : now + deadlines.answer.inMilliseconds
        }
        connection.enter(phase, counts)
        switch phase {
        case .idle: setDeadline(of: connection, at: now + deadlines.idle.inMilliseconds)
        case .head: setDeadline(of: connection, at: now + deadlines.head.inMilliseconds)
        case .working: connection.deadline = .max
        case .sending: setDeadline(of: connection, at: now + deadlines.answer.inMilliseconds)
        case .closing:
            setDeadline(of: connection, at: min(nextClosingLook, connection.closingDeadline))
        }
    }

    private var nextClosingLook: Int64 {
        now + (ending == .notBegun ? Self.closingInterval : Self.closingIntervalAtEnd)
    }

    /// Sets when a connection's phase has lasted too long.
    func setDeadline(of connection: Connection, at moment: Int64) {
        connection.deadline = moment
        // A timer that rings too early is set again; one that is there already need not be.
        if moment < connection.timer {
            wheel.add(connection.key, at: moment)
            connection.timer = moment
        }
    }

    /// Ends the connections whose phase has lasted too long.
    func endOverdue() {
        for (key, moment) in wheel.due(at: now) {
            guard let connection = connections[key], connection.timer == moment else { continue }
            connection.timer = .max
            if connection.deadline <= now {
                endOverdue(connection)
            } else if connection.deadline < .max {
                setDeadline(of: connection, at: connection.deadline)
            }
        }
    }

    private func endOverdue(_ connection: Connection) {
        switch connection.phase {
        case .working: break
        case .idle: close(connection, aborting: !hasReceivedAll(connection))
        case .head:
            if ending == .notBegun { shared.handler.noted(.headOverdue) }
            close(connection, aborting: !hasReceivedAll(connection))
        case .sending:
            shared.handler.noted(.answerOverdue)
            close(connection, aborting: true)
        case .closing:
            if hasReceivedAll(connection) {
                close(connection)
            } else if now >= connection.closingDeadline {
                shared.handler.noted(.answerOverdue)
                close(connection, aborting: true)
            } else {
                setDeadline(of: connection, at: min(nextClosingLook, connection.closingDeadline))
            }
        }
    }

    /// The client has ended its side, and every request that it sent has been answered.
    func finish(_ connection: Connection) {
        // The kernel would hold an answer that is not taken for minutes after a close, and out of
        // every limit.
        if hasReceivedAll(connection) { close(connection) } else { beginClosing(connection) }
    }

    /// Ends this side after the last answer, and waits until the client has received it: a close
    /// with unread input would be a reset, which can destroy the answer on its way (RFC 9112,
    /// section 9.6).
    func beginClosing(_ connection: Connection) {
        shutdown(connection.socket, Int32(SHUT_WR))
        connection.discarded = inbox.bytes.count
        inbox.clear()
        enter(.closing, connection)
    }

    /// Throws away what a client sends after the last answer.
    func discardInput(_ connection: Connection) {
        while connection.mayRead {
            inbox.clear()
            switch inbox.receive(from: connection.socket) {
            case .bytes(let isAll):
                connection.discarded += inbox.bytes.count
                inbox.clear()
                if connection.discarded > Self.discardLimit {
                    return close(connection, aborting: true)
                }
                if isAll, !connection.hasPeerEnded { connection.mayRead = false }
            case .nothing: connection.mayRead = false
            case .end:
                connection.mayRead = false
                if hasReceivedAll(connection) { close(connection) }
                return
            case .broken: return close(connection)
            }
        }
    }

    private func hasReceivedAll(_ connection: Connection) -> Bool {
        unacknowledged_bytes(connection.socket) <= 0
    }

    /// Closes a connection. With `aborting`, what the client has not taken is thrown away.
    func close(_ connection: Connection, aborting: Bool = false) {
        guard !connection.isClosed else { return }
        connection.isClosed = true
        switch connection.phase {
        case .working, .sending: tell(connection)
        case .idle, .head, .closing: break
        }
        counts.add(-1, to: connection.phase)
        connections.remove(connection)
        if aborting { SocketOptions.abortOnClose(connection.socket) }
        Glibc.close(connection.socket)
        if connection.isCounted, let peer = connection.peer { shared.limiter.release(peer) }
        shared.limiter.release()
        shared.resumePaused()
    }

    /// Goes on with the server's end, if it has begun. Whether this thread has nothing left.
    func isDone() -> Bool {
        let end = shared.ending.load(ordering: .acquiring)
        guard end < .max else { return false }
        let moment = milliseconds()
        if ending == .notBegun {
            ending = .finishing
            // The system resets what waits to be accepted when the listener is closed.
            accept(atMost: configuration.connectionLimit)
            stopAccepting()
            finishIdle()
        }
        if ending == .finishing, moment >= end {
            ending = .cutting(at: moment + Self.cuttingTime)
            for connection in connections.all {
                connection.responder?.respond(shared.handler.endingResponse)
            }
        }
        if case .cutting(let last) = ending, moment >= last {
            for connection in connections.all {
                close(connection, aborting: connection.phase == .sending)
            }
        }
        return connections.isEmpty
    }

    /// Closes the connections on which no request has begun; new ones in a moment, for their first
    /// request may be on its way.
    private func finishIdle() {
        for connection in connections.all {
            switch connection.phase {
            case .idle, .head:
                // A request may have come that has not been looked at.
                connection.mayRead = true
                advance(connection)
                let isWaiting = connection.phase == .idle || connection.phase == .head
                guard isWaiting, !connection.isQueued, connection.input.isEmpty else { break }
                if connection.phase == .head {
                    setDeadline(of: connection, at: now + Self.firstRequestTime)
                } else {
                    close(connection)
                }
            case .closing:
                setDeadline(of: connection, at: min(nextClosingLook, connection.closingDeadline))
            case .working, .sending: break
            }
        }
    }
}
