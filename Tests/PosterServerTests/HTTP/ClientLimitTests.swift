import Glibc
import Testing

@testable import FixtureOrigin
@testable import PosterHTTP
@testable import PosterServer

/// How many connections one client may have.
@Suite struct ClientLimitTests {
    private static let request = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"

    @Test func `one connection too many is hung up on and counted, until another has ended`()
        throws
    {
        let site = try TestSite({ $0.connectionsPerClient = 3 })
        var clients = (0..<3).map { _ in RawClient(port: site.server.port) }
        for client in clients {
            client.send(Self.request)
            #expect(client.receiveResponse()?.status == 200)
        }
        let refused = RawClient(port: site.server.port)
        refused.send(Self.request)
        #expect(refused.receiveAll() == [])
        clients.removeFirst()
        // The server notices the end some time after it.
        var isServed = false
        for _ in 0..<10_000 where !isServed {
            isServed = (try? site.get("/healthz")) != nil
        }
        #expect(isServed)
        clients.removeAll()
        var text: String?
        for _ in 0..<10_000 where text == nil { text = try? site.get("/metrics").text }
        let page = try ExpositionReader(try #require(text))
        let count = page["onesheet_http_rejects_total{reason=\"client_connections\"}"] ?? 0
        #expect(count >= 1)
    }

    @Test func `without a limit there is none`() throws {
        let site = try TestSite()
        let clients = (0..<100).map { _ in RawClient(port: site.server.port) }
        for client in clients {
            client.send(Self.request)
            #expect(client.receiveResponse()?.status == 200)
        }
    }

    @Test(
        "an IPv4 address is one client, and so is an IPv6 network of 64 bits",
        arguments: [
            ("192.0.2.7", "192.0.2.7", true), ("192.0.2.7", "192.0.2.8", false),
            ("2001:db8::1", "2001:db8::ffff:1", true), ("2001:db8::1", "2001:db8:0:1::1", false),
            ("::ffff:192.0.2.7", "192.0.2.7", true), ("::1", "127.0.0.1", false),
        ])
    func clients(one: String, other: String, areOne: Bool) throws {
        let (one, other) = (try #require(address(one)), try #require(address(other)))
        #expect((one.client == other.client) == areOne)
    }

    @Test(
        "an address is written as people write it",
        arguments: [("192.0.2.7", "192.0.2.7"), ("2001:DB8:0:0::1", "2001:db8::1"), ("::1", "::1")])
    func text(written: String, shown: String) throws {
        #expect(try #require(address(written)).description == shown)
    }

    private func address(_ text: String) -> ClientAddress? {
        var (four, six) = (sockaddr_in(), sockaddr_in6())
        if inet_pton(AF_INET, text, &four.sin_addr) == 1 {
            four.sin_family = sa_family_t(AF_INET)
            return withUnsafePointer(to: &four) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { ClientAddress($0) }
            }
        }
        guard inet_pton(AF_INET6, text, &six.sin6_addr) == 1 else { return nil }
        six.sin6_family = sa_family_t(AF_INET6)
        return withUnsafePointer(to: &six) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { ClientAddress($0) }
        }
    }
}
