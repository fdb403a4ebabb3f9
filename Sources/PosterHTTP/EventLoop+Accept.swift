import CEpoll
import Glibc

/// Connections that begin.
extension EventLoop {
    /// The most that are accepted before the others have their turn.
    static let acceptsInARow = 64

    /// Accepts what waits, as far as the limits allow, and a number at most.
    func accept(atMost count: Int = acceptsInARow) {
        for _ in 0..<count {
            guard accepting == .running else { return }
            guard shared.limiter.reserve() else { return pauseAccepting() }
            var address = sockaddr_storage()
            var length = UInt32(MemoryLayout<sockaddr_storage>.size)
            let socket = accept_nonblocking(shared.listener, &address, &length)
            let code = errno
            if socket >= 0 {
                open(socket, from: ClientAddress(&address))
            } else {
                shared.limiter.release()
                switch code {
                case EAGAIN: return
                case EMFILE, ENFILE, ENOBUFS, ENOMEM: return pauseAccepting(after: code)
                // Errors of the connection that was to be accepted (accept(2)).
                case EINTR, ECONNABORTED, EPROTO, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET,
                    EHOSTUNREACH, EOPNOTSUPP, ENETUNREACH, EPERM, ETIMEDOUT:
                    continue
                default: return pauseAccepting(after: code)
                }
            }
        }
    }

    /// Takes a connection in that has its place in the limit of all.
    private func open(_ socket: Int32, from peer: ClientAddress?) {
        // All clients of a proxy come from its one address.
        let isCounted = peer != nil && !isTrusted(peer)
        if isCounted, let peer, !shared.limiter.reserve(peer) {
            shared.handler.noted(.tooManyOfClient)
            release(socket)
            return
        }
        SocketOptions.prepare(connection: socket)
        let key = connections.reserveKey()
        guard epoll.add(socket, key: key, [.readable, .writable, .peerEnded, .onChange]) else {
            if isCounted, let peer { shared.limiter.release(peer) }
            release(socket)
            return
        }
        let connection = Connection(socket: socket, key: key, peer: peer, isCounted: isCounted)
        connections.insert(connection)
        counts.add(1, to: .head)
        setDeadline(of: connection, at: now + configuration.deadlines.head.inMilliseconds)
    }

    private func release(_ socket: Int32) {
        Glibc.close(socket)
        shared.limiter.release()
    }
}

extension ClientAddress {
    fileprivate init?(_ storage: UnsafePointer<sockaddr_storage>) {
        let address = UnsafeRawPointer(storage).assumingMemoryBound(to: sockaddr.self)
        self.init(address)
    }
}
