import Glibc

/// A client that sends text as it is and keeps every byte that comes back.
final class RawClient: Sendable {
    /// What no answer here takes, so that a test fails instead of hanging.
    private static let limitMilliseconds: Int32 = 30_000

    let descriptor: Int32

    /// Connects to 127.0.0.1. A small `receiveBuffer` in bytes makes a slow reader.
    init(port: UInt16, receiveBuffer: Int32? = nil) {
        let descriptor = socket(
            AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        if var bytes = receiveBuffer {
            setsockopt(
                descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        self.descriptor = descriptor
        isConnected = status == 0
    }

    deinit { close(descriptor) }

    /// Whether somebody listened.
    let isConnected: Bool

    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard sent > 0 else { return }
            rest = rest.dropFirst(sent)
        }
    }

    func send(_ text: String) { send(Array(text.utf8)) }

    /// Ends the sending half.
    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Makes the end a reset: what has not been sent or read is thrown away.
    func reset() {
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
    }

    /// The next bytes; empty at the end; `nil` when the connection was reset or nothing came.
    func receive(upTo count: Int = 64 << 10) -> [UInt8]? {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, Self.limitMilliseconds) > 0 else { return nil }
        var buffer = [UInt8](repeating: 0, count: count)
        let got = recv(descriptor, &buffer, count, 0)
        return got < 0 ? nil : Array(buffer.prefix(got))
    }

    /// Whether something came, or the end, within so many milliseconds.
    func hasInput(within milliseconds: Int32) -> Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&waiting, 1, milliseconds) > 0
    }

    /// Whether something has come, or the end.
    var hasInput: Bool { hasInput(within: 0) }

    /// Everything until the end, or until a reset.
    func receiveAll() -> [UInt8] {
        var all: [UInt8] = []
        while let some = receive(), !some.isEmpty { all += some }
        return all
    }

    /// One response by its `Content-Length`, byte by byte as far as the head goes.
    func receiveResponse(hasBody: Bool = true) -> Response? {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            guard let byte = receive(upTo: 1), !byte.isEmpty else { return nil }
            head += byte
        }
        guard var response = Response(head) else { return nil }
        let length = hasBody ? response.header("Content-Length").flatMap { Int($0) } ?? 0 : 0
        while response.body.count < length {
            guard let some = receive(upTo: length - response.body.count), !some.isEmpty else {
                return nil
            }
            response.body += some
        }
        return response
    }
}

/// A response split at its empty line.
struct Response: Sendable {
    let lines: [String]
    var body: [UInt8]

    /// Takes a head and everything that follows it.
    init?(_ bytes: [UInt8]) {
        guard
            let end = bytes.indices.dropLast(3).first(where: {
                bytes[$0..<$0 + 4].elementsEqual([13, 10, 13, 10])
            })
        else { return nil }
        let head = String(decoding: bytes[..<end], as: UTF8.self)
        lines = head.split(separator: "\r\n").map(String.init)
        body = Array(bytes[(end + 4)...])
    }

    var status: Int { Int(lines[0].split(separator: " ").dropFirst().first ?? "") ?? 0 }

    var text: String { String(decoding: body, as: UTF8.self) }

    func header(_ name: String) -> String? {
        lines.dropFirst().first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
            .map { String($0.dropFirst(name.count + 2)) }
    }
}
