import Glibc
import Testing

@testable import FixtureOrigin
@testable import PosterBase
@testable import PosterFetch
@testable import PosterKit

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

    @Test(
        "a name server that never answers holds nobody past the time to connect",
        .enabled(if: Namespace.isAllowed))
    func silentNameServer() throws {
        let order = Monitor<[FetchError.Reason]>([])
        try Namespace.run(with: .silent) {
            // The resolver itself would wait for ten seconds.
            let other = PosixThread(name: "other") {
                do {
                    let upstream = try Upstream(.hang())
                    defer { upstream.origin.stop() }
                    var request = upstream.request()
                    request.timeout = .seconds(2)
                    let error = #expect(throws: FetchError.self) { try upstream.fetch(request) }
                    order.withLock { $0.append(error?.reason ?? .other) }
                } catch { Issue.record(error) }
            }
            let error = fail("http://img.example/")
            order.withLock { $0.append(error?.reason ?? .other) }
            other.join()
        }
        #expect(order.withLock { $0 } == [.dnsTimeout, .totalTimeout])
    }

    @Test(
        "a name with one address that is dead is reached by the other",
        .enabled(if: Namespace.isAllowed),
        arguments: [
            ["127.0.0.2", "127.0.0.1"], ["::1", "127.0.0.1"], ["192.0.2.7", "127.0.0.1"],
        ])
    func fallsBack(addresses: [String]) throws {
        let served = Monitor(false)
        let hosts = addresses.map { "\($0) img.example\n" }.joined()
        try Namespace.run(with: .refusing, hosts: hosts) {
            do {
                let upstream = try Upstream()
                defer { upstream.origin.stop() }
                var request = upstream.request()
                request.url = "http://img.example:\(upstream.origin.port)\(Upstream.path)"
                let body = try upstream.fetch(request).body
                served.withLock { $0 = body == Upstream.poster }
            } catch { Issue.record(error) }
        }
        #expect(served.withLock { $0 })
    }

    @Test(
        "an address that answers nobody is no reason to wait for it",
        .enabled(if: Namespace.isAllowed))
    func quickFallback() throws {
        let served = Monitor(false)
        try Namespace.run(with: .refusing, hosts: "::1 img.example\n127.0.0.1 img.example\n") {
            do {
                let upstream = try Upstream()
                defer { upstream.origin.stop() }
                // The same port of the other address: it refuses nobody, and takes nobody.
                let full = try #require(FullHost(port: upstream.origin.port, isIPv6: true))
                defer { withExtendedLifetime(full) {} }
                var request = upstream.request()
                request.url = "http://img.example:\(upstream.origin.port)\(Upstream.path)"
                let body = try upstream.fetch(request).body
                served.withLock { $0 = body == Upstream.poster }
            } catch { Issue.record(error) }
        }
        #expect(served.withLock { $0 })
    }
}

/// Accepts connections in the kernel, and says nothing on them.
private final class SilentHost {
    let port: UInt16
    fileprivate let listener: Int32
    private var greeter: PosixThread?

    convenience init?() { self.init(LoopbackAddress(port: 0), backlog: 16) }

    fileprivate init?(_ address: LoopbackAddress, backlog: Int32) {
        let listener = socket(address.family, Int32(SOCK_STREAM.rawValue), 0)
        self.listener = listener
        let isBound = address.with { bind(listener, $0, $1) == 0 && listen(listener, backlog) == 0 }
        var bound = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isNamed = withUnsafeMutablePointer(to: &bound) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(listener, $0, &length) == 0
            }
        }
        // The port stands at the same place in both families' addresses.
        port = UInt16(bigEndian: bound.sin_port)
        guard isBound, isNamed else { return nil }
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

    init?(port: UInt16 = 0, isIPv6: Bool = false) {
        let wanted = LoopbackAddress(port: port, isIPv6: isIPv6)
        guard let host = SilentHost(wanted, backlog: 0) else { return nil }
        self.host = host
        let address = LoopbackAddress(port: host.port, isIPv6: isIPv6)
        for _ in 0..<4 {
            let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
            let client = socket(address.family, type, 0)
            _ = address.with { connect(client, $0, $1) }
            waiting.append(client)
        }
    }

    deinit { for client in waiting { close(client) } }
}

/// 127.0.0.1 or ::1, with a port.
private struct LoopbackAddress {
    let port: UInt16
    var isIPv6 = false
    var family: Int32 { isIPv6 ? AF_INET6 : AF_INET }

    /// Hands it over as the calls for sockets take it.
    func with<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        func hand<Address>(_ address: Address) -> Result {
            withUnsafePointer(to: address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<Address>.size))
                }
            }
        }
        if isIPv6 {
            var address = sockaddr_in6()
            (address.sin6_family, address.sin6_port) = (sa_family_t(AF_INET6), port.bigEndian)
            address.sin6_addr = in6addr_loopback
            return hand(address)
        }
        var address = sockaddr_in()
        (address.sin_family, address.sin_port) = (sa_family_t(AF_INET), port.bigEndian)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return hand(address)
    }
}
