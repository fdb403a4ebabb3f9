import Glibc
import PosterBase

/// Requests and their answers, one after the other on each connection.
extension EventLoop {
    /// The most requests of one connection in a row, before the others have their turn.
    private static let requestsInARow = 16

    /// Does for a connection what can be done now.
    func advance(_ connection: Connection) {
        guard !connection.isQueued, !connection.isClosed else { return }
        inbox.load(connection.input)
        var requests = 0
        var goesOn = true
        while goesOn, !connection.isClosed {
            switch connection.phase {
            case .idle, .head:
                if requests == Self.requestsInARow {
                    connection.isQueued = true
                    queue.append(connection.key)
                    goesOn = false
                } else {
                    requests += 1
                    goesOn = readRequest(connection)
                }
            case .working:
                if let response = connection.responder?.responseOrSuspend() {
                    begin(response, on: connection)
                } else {
                    goesOn = false
                }
            case .sending: goesOn = send(connection)
            case .closing:
                discardInput(connection)
                goesOn = false
            }
        }
        if connection.isClosed || inbox.isEmpty {
            if !connection.input.isEmpty { connection.input = [] }
        } else {
            connection.input = Array(inbox.bytes)
        }
    }

    /// Reads until a request is whole and asks the handler, or answers what is none. `false` when
    /// more must come first.
    private func readRequest(_ connection: Connection) -> Bool {
        while true {
            if !inbox.isEmpty {
                switch connection.parser.parse(inbox.bytes, limit: configuration.headLimit) {
                case .complete(let length):
                    inbox.use(length)
                    ask(connection)
                    return true
                case .refused(let fault):
                    inbox.clear()
                    connection.began = now
                    enter(.working, connection)
                    var response = shared.handler.response(to: fault)
                    response.closes = true
                    begin(response, on: connection)
                    return true
                case .incomplete: if connection.phase == .idle { enter(.head, connection) }
                }
            }
            guard connection.mayRead else { return false }
            switch inbox.receive(from: connection.socket) {
            case .bytes(let isAll):
                if isAll, !connection.hasPeerEnded { connection.mayRead = false }
            case .nothing:
                connection.mayRead = false
                return false
            case .end:
                inbox.clear()
                finish(connection)
                return false
            case .broken:
                close(connection)
                return false
            }
        }
    }

    private func ask(_ connection: Connection) {
        connection.began = now
        enter(.working, connection)
        let responder = Responder(for: connection.key, mailbox)
        connection.responder = responder
        if !isTrusted(connection.peer) { connection.parser.removeForwarded() }
        shared.handler.handle(connection.parser.head, responder)
    }

    /// Begins to send an answer.
    private func begin(_ response: Response, on connection: Connection) {
        connection.responder = nil
        connection.endsAfterResponse =
            response.closes || ending != .notBegun || !connection.parser.head.isPersistent
            || connection.parser.head.hasBody
        let persistence: ResponseHead.Persistence =
            connection.endsAfterResponse
            ? .ends : connection.parser.head.minorVersion == 0 ? .isKept : .goesOn
        head.write(response, persistence, at: .now())
        let isHead = connection.parser.head.method == "HEAD"
        connection.bodyLength = isHead || response.isBodiless ? 0 : response.body.count
        connection.bodySent = 0
        connection.response = response
        connection.headRest = head.bytes[...]
        enter(.sending, connection)
    }

    /// Sends what the socket takes. `false` when it must take more later, or is gone.
    private func send(_ connection: Connection) -> Bool {
        guard connection.mayWrite, let response = connection.response else { return false }
        let sent = connection.headRest.withUnsafeBytes { head in
            response.body.withUnsafeBytes { body in
                let rest = UnsafeRawBufferPointer(
                    rebasing: body[connection.bodySent..<connection.bodyLength])
                return Self.send(head, rest, to: connection.socket)
            }
        }
        guard sent >= 0 else {
            close(connection)
            return false
        }
        let ofHead = min(sent, connection.headRest.count)
        connection.headRest = connection.headRest.dropFirst(ofHead)
        connection.bodySent += sent - ofHead
        if connection.headRest.isEmpty, connection.bodySent == connection.bodyLength {
            complete(connection)
            return true
        }
        // The kernel took less than it was given, so it tells when there is room again (epoll(7)).
        connection.mayWrite = false
        return false
    }

    /// Sends two pieces with one call. Returns how many bytes the kernel took; negative when the
    /// connection is broken.
    private static func send(
        _ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer, to socket: Int32
    ) -> Int {
        let pieces = (
            iovec(
                iov_base: UnsafeMutableRawPointer(mutating: head.baseAddress), iov_len: head.count),
            iovec(
                iov_base: UnsafeMutableRawPointer(mutating: body.baseAddress), iov_len: body.count)
        )
        return withUnsafePointer(to: pieces) { pieces in
            pieces.withMemoryRebound(to: iovec.self, capacity: 2) { pieces in
                var message = msghdr()
                message.msg_iov = UnsafeMutablePointer(mutating: pieces)
                message.msg_iovlen = 2
                while true {
                    let sent = sendmsg(socket, &message, Int32(MSG_NOSIGNAL))
                    if sent >= 0 { return sent }
                    switch errno {
                    case EINTR: continue
                    case EAGAIN: return 0
                    default: return -1
                    }
                }
            }
        }
    }

    /// The whole answer is with the kernel.
    private func complete(_ connection: Connection) {
        tell(connection)
        if connection.endsAfterResponse || ending != .notBegun {
            beginClosing(connection)
        } else {
            enter(.idle, connection)
        }
    }

    /// Tells the handler of an exchange that has ended, and forgets it.
    func tell(_ connection: Connection) {
        shared.handler.completed(
            CompletedExchange(
                client: client(of: connection), method: connection.parser.method,
                target: connection.parser.target, status: connection.response?.status ?? 0,
                bodyBytes: connection.bodySent,
                milliseconds: max(0, configuration.clock() - connection.began),
                tag: connection.response?.tag ?? 0))
        connection.parser = HeadParser()
        (connection.response, connection.responder, connection.headRest) = (nil, nil, [])
        (connection.bodyLength, connection.bodySent) = (0, 0)
    }

    /// Whether a connection's peer is a proxy whose `X-Forwarded-` fields are believed.
    func isTrusted(_ peer: ClientAddress?) -> Bool {
        guard let peer else { return false }
        return configuration.trustedProxies.contains { $0.contains(peer) }
    }

    private func client(of connection: Connection) -> ClientAddress? {
        guard let peer = connection.peer, !configuration.trustedProxies.isEmpty else {
            return connection.peer
        }
        return ForwardedFor.client(
            connection.parser.head.forwardedFor, peer: peer, trusting: configuration.trustedProxies)
    }
}

extension Response.Body {
    /// The bytes where they lie.
    fileprivate func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        switch self {
        case .bytes(let bytes): bytes.withUnsafeBytes(body)
        case .part(let bytes, let range):
            bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[range])) }
        }
    }
}

extension HeadParser {
    /// The request's method; `-` where the request line was refused.
    var method: String { hasRequestLine ? head.method : "-" }

    /// The request's target; empty where the request line was refused.
    var target: String { hasRequestLine ? head.target : "" }
}
