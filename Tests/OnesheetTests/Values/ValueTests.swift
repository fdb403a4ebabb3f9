import Testing

@testable import onesheet

@Suite struct ValueTests {
    @Test(
        "an age is a number and a unit",
        arguments: [
            ("30d", 30 * 86_400), ("45s", 45), ("5m", 300), ("12h", 43_200), ("2w", 1_209_600),
            ("0", 0), ("0s", 0), ("007m", 420), ("5200w", 3_144_960_000),
        ])
    func age(text: String, seconds: Int) throws {
        #expect(try Age(argument: text).duration == .seconds(seconds))
    }

    @Test(
        "what is no age is refused",
        arguments: [
            "", "d", "30", "30D", "30 d", "-1d", "+1d", "1.5d", "1e3s", "d30", "30dd", "٣d",
            "1000000000s", "5201w", "99999999w",
        ])
    func noAge(text: String) {
        #expect(throws: ValueError.self) { try Age(argument: text) }
    }

    @Test(
        "a size is a number of bytes, or of powers of 1024",
        arguments: [
            ("0", 0), ("512", 512), ("10K", 10_240), ("10k", 10_240), ("64M", 67_108_864),
            ("10G", 10_737_418_240), ("2T", 2_199_023_255_552),
        ])
    func size(text: String, bytes: Int) throws {
        #expect(try ByteSize(argument: text).bytes == bytes)
    }

    @Test(
        "what is no size is refused",
        arguments: ["", "K", "1.5G", "-1", "10GB", "10 G", "1P", "9000000000T", "0x10"])
    func noSize(text: String) {
        #expect(throws: ValueError.self) { try ByteSize(argument: text) }
    }

    @Test(
        "a box has one or two sides",
        arguments: [
            ("120x180", 120, 180), ("120x", 120, nil), ("x180", nil, 180),
        ] as [(String, Int?, Int?)])
    func box(text: String, width: Int?, height: Int?) throws {
        let box = try Box(argument: text)
        #expect(box.width == width)
        #expect(box.height == height)
    }

    @Test(
        "what is no box is refused",
        arguments: [
            "", "x", "120", "120X180", "120x180x2", "-1x2", "1.5x2", "120×180", "a×b", "axb",
        ])
    func noBox(text: String) {
        #expect(throws: ValueError.self) { try Box(argument: text) }
    }

    @Test(
        "an address to listen on has a host and a port",
        arguments: [
            ("127.0.0.1:8080", "127.0.0.1", 8080), ("[::1]:8080", "::1", 8080),
            ("[::]:0", "::", 0), ("localhost:65535", "localhost", 65535),
        ] as [(String, String, UInt16)])
    func address(text: String, host: String, port: UInt16) throws {
        let address = try ListenAddress(argument: text)
        #expect(address.host == host)
        #expect(address.port == port)
    }

    @Test(
        "what is no address to listen on is refused",
        arguments: [
            "", "8080", ":8080", "localhost", "localhost:", "localhost:http", "::1:8080",
            "[::1]", "[::1]8080", "[localhost]:1", "[]:1", "localhost:65536", "localhost:-1",
            "local host:1",
        ])
    func noAddress(text: String) {
        #expect(throws: ValueError.self) { try ListenAddress(argument: text) }
    }

    @Test func `a list drops what comes twice and refuses what is empty`() throws {
        let list = try CommaList<WholeNumber>(argument: "3,1,3")
        #expect(list.elements.map(\.value) == [3, 1])
        for text in ["", "1,", ",1", "1,,2"] {
            #expect(throws: ValueError.self) { try CommaList<WholeNumber>(argument: text) }
        }
    }
}
