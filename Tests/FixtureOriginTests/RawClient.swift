import Glibc

/// A client that shows the wire as it is: it sends text and keeps every byte that comes back.
final class RawClient {
    /// How a connection stood after the last read.
    enum Ending: Equatable {
        case open
        case closed
        case reset
    }

    /// No read waits longer than this; a test that reaches it fails on what it then lacks.
    private static let limitMilliseconds: Int32 = 30_000

    private let descriptor: Int32
    private(set) var received: [UInt8] = []
    private(set) var ending = Ending.open

    /// Connects to 127.0.0.1; nil when that is refused.
    init?(port: UInt16) {
        let descriptor = socket(
            AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
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
        if status != 0 { return nil }
    }

    deinit { close(descriptor) }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Sends a request, by default one after which the connection is to be closed.
    func ask(_ target: String, method: String = "GET", _ lines: String...) {
        let lines = lines.isEmpty ? ["Connection: close"] : lines
        send("\(method) \(target) HTTP/1.1\r\nHost: x\r\n\(lines.map { $0 + "\r\n" }.joined())\r\n")
    }

    /// Reads until that many bytes have come in all, or the connection ends.
    func read(upTo count: Int = .max) {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while received.count < count, ending == .open {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, Self.limitMilliseconds) > 0 else { return }
            let got = recv(descriptor, &buffer, min(buffer.count, count - received.count), 0)
            if got > 0 {
                received += buffer.prefix(got)
            } else {
                ending = got == 0 ? .closed : .reset
            }
        }
    }

    /// Reads until there is a whole head; what follows it stays to be read.
    func readHead() -> Response {
        while Response(received) == nil, ending == .open { read(upTo: received.count + 1) }
        return Response(received) ?? .none
    }

    /// Reads one response by its `Content-Length` and takes it from what was received.
    func readResponse() -> Response {
        let head = readHead()
        let length = head.header("content-length").flatMap { Int($0) } ?? 0
        read(upTo: head.headBytes + length)
        let whole = Response(Array(received.prefix(head.headBytes + length))) ?? head
        received.removeFirst(min(head.headBytes + length, received.count))
        return whole
    }

    /// Whether a byte or an end has come in that was not read yet. Does not wait.
    var hasInput: Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&waiting, 1, 0) > 0
    }
}

/// A response split at its empty line; the body is whatever follows, framing and all.
struct Response {
    static let none = Response(lines: [""], headBytes: 0, body: [])

    let lines: [String]
    let headBytes: Int
    let body: [UInt8]

    private init(lines: [String], headBytes: Int, body: [UInt8]) {
        self.lines = lines
        self.headBytes = headBytes
        self.body = body
    }

    /// Nil while there is no whole head.
    init?(_ bytes: [UInt8]) {
        guard
            let end = bytes.indices.dropLast(3).first(where: {
                bytes[$0..<$0 + 4].elementsEqual([13, 10, 13, 10])
            })
        else { return nil }
        let head = String(decoding: bytes[..<end], as: UTF8.self)
        self.init(
            lines: head.split(separator: "\r\n").map(String.init), headBytes: end + 4,
            body: Array(bytes[(end + 4)...]))
    }

    var status: Int { Int(lines[0].split(separator: " ").dropFirst().first ?? "") ?? 0 }

    var text: String { String(decoding: body, as: UTF8.self) }

    func header(_ name: String) -> String? { headers(name).first }

    func headers(_ name: String) -> [String] {
        lines.dropFirst().filter { $0.lowercased().hasPrefix(name.lowercased() + ":") }
            .map { String($0.dropFirst(name.count + 2)) }
    }
}

/// One request on a connection of its own, read to its end.
func fetch(
    _ port: UInt16, _ target: String, method: String = "GET", _ lines: String...
) -> (response: Response, ending: RawClient.Ending) {
    guard let client = RawClient(port: port) else { return (.none, .closed) }
    let fields = (lines + ["Connection: close"]).joined(separator: "\r\n")
    client.ask(target, method: method, fields)
    client.read()
    return (Response(client.received) ?? .none, client.ending)
}
