import Glibc

/// One TCP socket on loopback. Calls block, and end early once `shutDown()` was called.
struct Socket: Sendable {
    let descriptor: Int32

    /// How long one send may stand still before the peer counts as gone.
    private static let sendLimitSeconds = 60

    /// Listens on 127.0.0.1; port 0 lets the system pick one.
    static func listen(port: UInt16) throws(OriginError) -> (socket: Socket, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | closeOnExec, 0)
        guard descriptor >= 0 else { throw .cannotListen(port: port, code: errno) }
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))

        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0
                    && Glibc.listen(descriptor, SOMAXCONN) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        guard status else {
            let code = errno
            Glibc.close(descriptor)
            throw .cannotListen(port: port, code: code)
        }
        return (Socket(descriptor: descriptor), UInt16(bigEndian: address.sin_port))
    }

    /// The next connection; nil once the listening socket is shut down.
    func accept() -> Socket? {
        while true {
            let accepted = Glibc.accept(descriptor, nil, nil)
            if accepted >= 0 {
                let socket = Socket(descriptor: accepted)
                socket.prepare()
                return socket
            }
            // Out of descriptors passes; a listening socket that was shut down (EINVAL) does not.
            guard errno != EINVAL, errno != EBADF else { return nil }
            _ = poll(nil, 0, 10)
        }
    }

    private func prepare() {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var yes: Int32 = 1
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes,
            socklen_t(MemoryLayout<Int32>.size))
        var limit = timeval(tv_sec: Self.sendLimitSeconds, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// What has come in, at least one byte; nil when the peer has closed or the limit has passed.
    func receive(atMost limit: Duration) -> [UInt8]? {
        guard wait(for: Int16(POLLIN), atMost: limit) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        return Array(bytes.prefix(count))
    }

    /// Sends everything; false when the peer has left, stands still, or this end is shut down.
    func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.send(
                    descriptor, buffer.baseAddress?.advanced(by: sent), buffer.count - sent,
                    Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Lets time pass; false when the connection is shut down or broken before that.
    func pause(_ duration: Duration) -> Bool {
        !wait(for: 0, atMost: duration)
    }

    /// Blocks until the peer closes its sending side, breaks off, or the limit passes.
    func waitForPeerToLeave(atMost limit: Duration) {
        _ = wait(for: peerHasClosed, atMost: limit)
    }

    private func wait(for events: Int16, atMost limit: Duration) -> Bool {
        var waiting = pollfd(fd: descriptor, events: events, revents: 0)
        while true {
            let status = poll(&waiting, 1, Int32(limit.wholeMilliseconds))
            if status < 0, errno == EINTR { continue }
            return status > 0
        }
    }

    /// Ends both directions and wakes a thread that is blocked here. The descriptor stays taken.
    func shutDown() {
        Glibc.shutdown(descriptor, Int32(SHUT_RDWR))
    }

    func close() {
        Glibc.close(descriptor)
    }

    /// Makes the coming `close()` send a reset instead of an orderly end (socket(7), SO_LINGER).
    ///
    /// Waits until the peer's system has what was sent, as a reset throws away the rest.
    func resetOnClose() {
        for _ in 0..<1000 {
            var unsent: Int32 = 0
            guard ioctl(descriptor, UInt(TIOCOUTQ), &unsent) == 0, unsent > 0 else { break }
            guard pause(.milliseconds(1)) else { break }
        }
        var atOnce = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &atOnce, socklen_t(MemoryLayout<linger>.size))
    }
}

private let closeOnExec = Int32(SOCK_CLOEXEC.rawValue)

/// POLLRDHUP of poll(2), which the header shows to GNU sources only.
private let peerHasClosed: Int16 = 0x2000
