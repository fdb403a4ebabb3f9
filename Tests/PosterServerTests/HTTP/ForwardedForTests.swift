import Testing

@testable import PosterHTTP
@testable import PosterServer

/// Which client a request is said to come from, behind proxies.
@Suite struct ForwardedForTests {
    private static let proxies = ["10.0.0.0/8", "192.0.2.1", "fd00::/8", "2001:db8::/33"]
        .compactMap { AddressRange($0) }

    @Test(
        "the client is the right-most hop that is no trusted proxy",
        arguments: [
            ("10.1.1.1", nil, "10.1.1.1"), ("10.1.1.1", "", "10.1.1.1"),
            ("10.1.1.1", "203.0.113.5", "203.0.113.5"),
            ("10.1.1.1", "203.0.113.5, 203.0.113.6", "203.0.113.6"),
            ("10.1.1.1", "203.0.113.5 ,10.2.2.2,\t192.0.2.1", "203.0.113.5"),
            ("10.1.1.1", "10.9.9.9, 10.2.2.2", "10.9.9.9"),
            ("203.0.113.7", "203.0.113.5", "203.0.113.7"), ("192.0.2.2", "1.1.1.1", "192.0.2.2"),
            ("fd12::1", "2001:db8:8000::1", "2001:db8:8000::1"),
            ("fd12::1", "9.9.9.9, 2001:db8:1::1", "9.9.9.9"),
            ("10.1.1.1", "203.0.113.5:1234", "203.0.113.5"),
            ("10.1.1.1", "[2001:db8:ffff::5]:1234", "2001:db8:ffff::5"),
            ("10.1.1.1", "[2001:db8:ffff::5]", "2001:db8:ffff::5"),
            ("10.1.1.1", "::ffff:203.0.113.5", "203.0.113.5"),
            ("10.1.1.1", "203.0.113.5, unknown", "10.1.1.1"),
            ("10.1.1.1", "203.0.113.5, _hidden, 10.2.2.2", "10.2.2.2"),
            ("10.1.1.1", "203.0.113.5,", "10.1.1.1"), ("10.1.1.1", "203.0.113.5:x", "10.1.1.1"),
            ("10.1.1.1", "203.0.113.005", "10.1.1.1"), ("10.1.1.1", "203.0.113.5\0", "10.1.1.1"),
            ("10.1.1.1", "[203.0.113.5", "10.1.1.1"), ("10.1.1.1", ":80", "10.1.1.1"),
        ] as [(String, String?, String)])
    func client(peer: String, field: String?, client: String) throws {
        let peer = try #require(ClientAddress(peer[...]))
        let found = ForwardedFor.client(field, peer: peer, trusting: Self.proxies)
        #expect(found.description == client)
    }

    @Test func `without trusted proxies the field is not read`() throws {
        let peer = try #require(ClientAddress("10.1.1.1"))
        #expect(ForwardedFor.client("1.1.1.1", peer: peer, trusting: []) == peer)
    }

    @Test(
        "a network is an address, or one with the number of its bits",
        arguments: [
            "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8",
            "10.0.0/8", "::/129", "::/ 8", "localhost", "10.0.0.0/8 ", "10.0.0.0/0x8", "10.0.0.0/٨",
            "256.0.0.1", ":::", "10.0.0.0/99999999999999999999",
        ])
    func noNetwork(text: String) { #expect(AddressRange(text) == nil) }

    @Test("an address is in a network when their first bits are the same", arguments: 0..<40)
    func model(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        for _ in 0..<200 {
            let isShort = Bool.random(using: &random)
            let count = isShort ? 4 : 16
            let network = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            var other = network
            // One bit differs, or none.
            let flipped = Int.random(in: 0...count * 8, using: &random)
            if flipped < count * 8 { other[flipped / 8] ^= 0x80 >> UInt8(flipped % 8) }
            let bits = Int.random(in: 0...count * 8, using: &random)
            let range = try #require(AddressRange("\(Self.text(network))/\(bits)"))
            let address = try #require(ClientAddress(Self.text(other)[...]))
            #expect(range.contains(address) == (flipped >= bits))
        }
    }

    private static func text(_ bytes: [UInt8]) -> String {
        if bytes.count == 4 { return bytes.map { String($0) }.joined(separator: ".") }
        return stride(from: 0, to: 16, by: 2).map { index in
            String(Int(bytes[index]) << 8 | Int(bytes[index + 1]), radix: 16)
        }.joined(separator: ":")
    }
}
