import Glibc

/// What the kernel is told about sockets.
enum SocketOptions {
    /// Bytes that are asked for as a connection's send buffer. The kernel doubles it, for its own
    /// records (socket(7)), takes one more write beyond that, and would let it grow to megabytes
    /// where nothing is asked for. A client that does not read pins this much.
    private static let sendBuffer: Int32 = 64 << 10
    /// Bytes that are asked for as a receive buffer, which the kernel doubles, too. It holds requests
    /// that wait while a client's answer is on its way.
    private static let receiveBuffer: Int32 = 16 << 10

    /// Readies a listening socket. What it is told of buffers holds for what it accepts.
    static func prepare(listener: Int32) {
        set(listener, SOL_SOCKET, SO_SNDBUF, sendBuffer)
        set(listener, SOL_SOCKET, SO_RCVBUF, receiveBuffer)
        let flags = fcntl(listener, F_GETFL)
        if flags >= 0 { _ = fcntl(listener, F_SETFL, flags | O_NONBLOCK) }
    }

    /// Readies a connection: what is written goes at once, because an answer is written whole.
    static func prepare(connection: Int32) {
        set(connection, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    }

    /// Makes the next close a reset: what the client has not taken is thrown away instead of being
    /// held by the kernel for minutes.
    static func abortOnClose(_ socket: Int32) {
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
    }

    private static func set(_ socket: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(socket, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}
