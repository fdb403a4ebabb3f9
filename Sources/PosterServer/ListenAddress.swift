import Glibc

/// Where to listen: a numeric IPv4 or IPv6 address and a port.
public struct ListenAddress: Hashable, Sendable {
    /// `127.0.0.1`, `::1`, `0.0.0.0`
    public var host: String
    /// 0 lets the system pick one.
    public var port: UInt16

    /// Puts an address together.
    public init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads `ADDRESS:PORT`; an IPv6 address stands in brackets. An empty address, as in `:8080`,
    /// is every IPv4 address.
    public init(_ text: String) throws(ServerError) {
        guard let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...]),
            text[text.index(after: colon)...].utf8.allSatisfy({ 0x30...0x39 ~= $0 })
        else { throw .address(text) }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
        } else if host.contains(":") {
            throw .address(text)
        }
        self.init(host: host.isEmpty ? "0.0.0.0" : host, port: port)
        guard withResolved({ _, _, _ in true }) != nil else { throw .address(text) }
    }

    /// Opens a socket that listens here. It is the caller's to close.
    func listen() throws(ServerError) -> Int32 {
        let place = description
        let opened = withResolved { family, address, length in
            let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
            let file = socket(family, type, 0)
            var on: Int32 = 1
            guard file >= 0 else { return (file, errno) }
            setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
            guard bind(file, address, length) == 0, Glibc.listen(file, SOMAXCONN) == 0 else {
                let code = errno
                Self.close(file)
                return (-1, code)
            }
            return (file, 0)
        }
        guard let (file, code) = opened else { throw .address(place) }
        guard file >= 0 else { throw .listen(place, code: code) }
        return file
    }

    /// The port that a listening socket has; 0 when it has none.
    static func port(of file: Int32) -> UInt16 {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            let address = UnsafeMutableRawPointer(pointer)
            guard getsockname(file, address.assumingMemoryBound(to: sockaddr.self), &length) == 0
            else { return 0 }
            // The port lies at the same place in both families' structures.
            return UInt16(bigEndian: address.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        }
    }

    /// Closes a socket that is not listened on after all.
    static func close(_ file: Int32) { _ = Glibc.close(file) }

    private func withResolved<Result>(
        _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result? {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &list) == 0, let list else { return nil }
        defer { freeaddrinfo(list) }
        let (family, length) = (list.pointee.ai_family, list.pointee.ai_addrlen)
        return list.pointee.ai_addr.map { body(family, $0, length) }
    }
}

extension ListenAddress: CustomStringConvertible {
    /// `127.0.0.1:8080`, `[::1]:8080`
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
