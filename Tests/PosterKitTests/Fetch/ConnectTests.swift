import Glibc
@testable import FixtureOrigin
@testable import PosterKit
import Testing

@Suite struct ConnectTests {
    /// Fetches a URL with a short time to connect.
    private func fail(_ url: String, connect: Duration = .milliseconds(300)) -> FetchError? {
        var limits = TransferLimits()
        limits.connect = connect
        var worker = TransferWorker(userAgent: "onesheet-test", caFile: nil, limits: limits)
        let request = FetchRequest(
            url: url, accept: "*/*", maxBytes: 1 << 20, maxRedirects: 0, timeout: .seconds(15))
        return #expect(throws: FetchError.self) { try worker.fetch(request) }
    }

    @Test func `a host that lets nobody in is left after the time to connect`() throws {
        let host = try #require(FullHost())
        #expect(fail("http://127.0.0.1:\(host.port)/")?.reason == .connectTimeout)
    }

    @Test func `a host that speaks no TLS where it should is not spoken to in plain text`() throws {
        let host = try #require(SilentHost())
        host.greet("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        #expect(
            fail("https://127.0.0.1:\(host.port)/", connect: .seconds(3))?.reason == .tls)
    }

    @Test func `a host that never shakes hands is left as one that does not connect`() throws {
        let host = try #require(SilentHost())
        #expect(fail("https://127.0.0.1:\(host.port)/")?.reason == .connectTimeout)
    }

    @Test(
        "where there are name servers of its own, they decide",
        .enabled(if: Namespace.isAllowed),
        arguments: [
            (Namespace.NameServer.unreachable, FetchError.Reason.dns), (.silent, .dnsTimeout),
            (.refusing, .dns),
        ])
    func names(server: Namespace.NameServer, reason: FetchError.Reason) throws {
        let found = Monitor<FetchError.Reason?>(nil)
        try Namespace.run(with: server) {
            let error = fail("http://img.example/", connect: .seconds(1))
            found.withLock { $0 = error?.reason }
        }
        #expect(found.withLock { $0 } == reason)
    }
}

/// Accepts connections in the kernel, and says nothing on them.
private final class SilentHost {
    let port: UInt16
    fileprivate let listener: Int32
    private var greeter: PosixThread?

    convenience init?() { self.init(backlog: 16) }

    fileprivate init?(backlog: Int32) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.listener = listener
        var address = loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, length) == 0 && listen(listener, backlog) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        guard isBound else { return nil }
    }

    /// Says this to the next client, at once.
    func greet(_ text: String) {
        greeter = PosixThread(name: "greeter") { [listener] in
            let client = accept(listener, nil, nil)
            _ = write(client, text, text.utf8.count)
            close(client)
        }
    }

    deinit {
        // Ends a wait for a client that never came.
        shutdown(listener, Int32(SHUT_RDWR))
        greeter?.join()
        close(listener)
    }
}

/// A listener whose queue is full, so that the kernel drops every further request to connect.
private final class FullHost {
    private let host: SilentHost
    private var waiting: [Int32] = []
    var port: UInt16 { host.port }

    init?() {
        guard let host = SilentHost(backlog: 0) else { return nil }
        self.host = host
        for _ in 0..<4 {
            let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
            var address = loopback(port: host.port)
            withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    _ = connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            waiting.append(client)
        }
    }

    deinit { for client in waiting { close(client) } }
}

private func loopback(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
}
