import Foundation

/// A forward proxy on loopback that does what it is asked, and remembers all that it was sent.
///
/// One request a connection, or one tunnel (CONNECT).
package final class RecordingProxy: Sendable {
    private let listener: Int32
    package let port: UInt16
    private let lock = NSLock()
    private nonisolated(unsafe) var bytes: [UInt8] = []

    package init() {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening else { fatalError("no port for a proxy") }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [weak self] in
            while case let client = accept(listener, nil, nil), client >= 0 {
                Thread.detachNewThread { [weak self] in
                    self?.serve(client)
                    close(client)
                }
            }
            close(listener)
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// All that clients have sent.
    package var text: String { lock.withLock { String(decoding: bytes, as: UTF8.self) } }

    /// The first lines of what it was asked, in order.
    package var requests: [String] {
        text.split(separator: "\r\n").map(String.init).filter { $0.hasSuffix(" HTTP/1.1") }
    }

    private func serve(_ client: Int32) {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual(Array("\r\n\r\n".utf8)) {
            guard let piece = receive(client, count: 1) else { return }
            head += piece
        }
        let lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ").map(String.init)
        guard words.count == 3 else { return }
        if words[0] == "CONNECT" {
            guard let port = words[1].split(separator: ":").last.flatMap({ UInt16($0) }),
                let host = Self.connected(port)
            else { return }
            defer { close(host) }
            Self.send("HTTP/1.1 200 Connection established\r\n\r\n", to: client)
            pump(client, host)
        } else if let url = URL(string: words[1]), let host = Self.connected(UInt16(url.port ?? 80))
        {
            defer { close(host) }
            let rest = lines.dropFirst().joined(separator: "\r\n")
            Self.send("\(words[0]) \(url.path) HTTP/1.1\r\nConnection: close\r\n\(rest)", to: host)
            pump(client, host)
        }
    }

    /// Hands on what either side says, until one has no more to say.
    private func pump(_ client: Int32, _ host: Int32) {
        var looks = [client, host].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&looks, 2, -1) > 0 {
            if looks[0].revents != 0 {
                guard let piece = receive(client, count: 65_536) else { return }
                Self.send(piece, to: host)
            }
            if looks[1].revents != 0 {
                var piece = [UInt8](repeating: 0, count: 65_536)
                let count = recv(host, &piece, piece.count, 0)
                guard count > 0 else { return }
                Self.send(Array(piece[..<count]), to: client)
            }
        }
    }

    private func receive(_ client: Int32, count: Int) -> [UInt8]? {
        var piece = [UInt8](repeating: 0, count: count)
        let received = recv(client, &piece, count, 0)
        guard received > 0 else { return nil }
        lock.withLock { bytes += piece[..<received] }
        return Array(piece[..<received])
    }

    private static func send(_ text: String, to socket: Int32) {
        send(Array(text.utf8), to: socket)
    }

    private static func send(_ bytes: [UInt8], to socket: Int32) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    private static func connected(_ port: UInt16) -> Int32? {
        let host = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = loopback(port: port)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(host, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else {
            close(host)
            return nil
        }
        return host
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
