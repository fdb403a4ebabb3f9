import Glibc
import Testing

@testable import FixtureOrigin
@testable import PosterHTTP
@testable import PosterServer

/// Clients that ask and do not read: what they pin is bounded, and no other client waits for them.
@Suite struct SlowReaderTests {
    private static let target = "/t/p/w500\(ServingTests.poster.path)"
    private static let request = "GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n"

    /// Sends requests until nothing more is taken for a while.
    private func flood(_ client: RawClient) {
        let bytes = Array(String(repeating: Self.request, count: 100).utf8)
        var waiting = pollfd(fd: client.descriptor, events: Int16(POLLOUT), revents: 0)
        while poll(&waiting, 1, 50) == 1 {
            let sent = Glibc.send(
                client.descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            guard sent > 0 || errno == EAGAIN else { return }
        }
    }

    /// The descriptors of a server in this process that are connected to these clients. Sockets of
    /// other tests may have a client's port, too, with another one at their own end.
    private func sockets(of server: UInt16, to clients: [RawClient]) -> [Int32] {
        let ports = Set(clients.map { port(of: $0.descriptor, getsockname) })
        return (3..<4096).filter {
            port(of: $0, getsockname) == server.bigEndian
                && ports.contains(port(of: $0, getpeername))
        }
    }

    private func port(
        of socket: Int32,
        _ call: (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> Int32
    ) -> UInt16? {
        var (address, length) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call(socket, $0, &length) }
        }
        let isIPv4 = address.sin_family == sa_family_t(AF_INET)
        return status == 0 && isIPv4 && address.sin_port != 0 ? address.sin_port : nil
    }

    /// Bytes of kernel memory that a socket has, both ways (`SO_MEMINFO`, socket(7)).
    private func kernelMemory(of socket: Int32) -> Int {
        var values = [UInt32](repeating: 0, count: 9)
        var length = socklen_t(values.count * MemoryLayout<UInt32>.size)
        guard getsockopt(socket, SOL_SOCKET, 55, &values, &length) == 0 else { return .max }
        // What is received, what is to be sent, and what is reserved ahead.
        return Int(values[0]) + Int(values[5]) + Int(values[4])
    }

    @Test func `a reader that does not read pins at most 256 KiB, and keeps no other waiting`()
        throws
    {
        // No deadline passes however slow the machine is.
        let site = try TestSite({
            $0.headTimeout = .seconds(600)
            $0.answerTimeout = .seconds(600)
        })
        #expect(try site.get(Self.target).status == 200)
        let clients = (0..<100).map { _ in RawClient(port: site.server.port, receiveBuffer: 4096) }
        for client in clients { flood(client) }
        func count(_ phase: ConnectionPhase) -> Int {
            site.server.http.connectionCounts[phase] ?? 0
        }
        #expect(eventually { count(.sending) == clients.count })
        let served = sockets(of: site.server.port, to: clients)
        #expect(served.count == clients.count)
        let pinned = served.map(kernelMemory)
        #expect(pinned.allSatisfy { $0 <= 256 << 10 }, "\(pinned.max() ?? 0)")
        #expect(pinned.contains { $0 > 16 << 10 }, "they pin nothing: \(pinned)")
        let honest = RawClient(port: site.server.port)
        for _ in 0..<200 {
            honest.send(Self.request)
            #expect(honest.receiveResponse()?.status == 200)
        }
        // Those that read after all get everything that they asked for, whole and in order.
        let late = try #require(clients.first)
        for _ in 0..<50 { #expect(late.receiveResponse()?.body.count ?? 0 > 10_000) }
    }

    @Test func `an answer larger than every buffer arrives whole, however it is read`() throws {
        let site = try TestSite()
        let poster = try site.get(Self.target).body
        for step in [1000, 7777, 100_000] {
            let client = RawClient(port: site.server.port, receiveBuffer: 4096)
            let count = 40
            client.send(String(repeating: Self.request, count: count))
            var received: [UInt8] = []
            var bodies = 0
            while bodies < count, let some = client.receive(upTo: step), !some.isEmpty {
                received += some
                while let response = Response(received), response.body.count >= poster.count {
                    #expect(Array(response.body.prefix(poster.count)) == poster)
                    received = Array(response.body.dropFirst(poster.count))
                    bodies += 1
                }
            }
            #expect(bodies == count)
            #expect(received.isEmpty)
        }
    }
}
