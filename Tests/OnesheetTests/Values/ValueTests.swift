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
            ("0K", 0), ("1048576", 1_048_576), ("10K", 10_240), ("10k", 10_240),
            ("64M", 67_108_864), ("9223372036854775807", .max),
            ("8388607T", 9_223_370_937_343_148_032),
            ("10G", 10_737_418_240), ("2T", 2_199_023_255_552),
        ])
    func size(text: String, bytes: Int) throws {
        #expect(try ByteSize(argument: text).bytes == bytes)
    }

    @Test(
        "what is no size is refused",
        arguments: [
            "", "K", "1.5G", "-1", "10GB", "10 G", "1P", "9000000000T", "0x10", "0", "20",
            "1048575", "9223372036854775808", "8388608T", "٢G",
        ])
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
        "a span in seconds may have a fraction",
        arguments: [("2.5", 2500), ("0.1", 100), ("600", 600_000), ("1.25", 1250), ("1.005", 1005)])
    func seconds(text: String, milliseconds: Int) throws {
        #expect(try Seconds(argument: text).duration == .milliseconds(milliseconds))
    }

    @Test(
        "what is no span in seconds is refused",
        arguments: [
            "", "0", "0.05", "601", "-1", "2,5", "2.", ".5", "1.2345", "1e1", "2.5s", "1.2.3",
        ])
    func noSeconds(text: String) {
        #expect(throws: ValueError.self) { try Seconds(argument: text) }
    }

    @Test(
        "a picture's size is a poster size or a box",
        arguments: [
            ("w185", 185, 278), ("w342", 342, 513), ("w500", 500, 750), ("1x3000", 1, 3000),
        ])
    func pictureSize(text: String, width: Int, height: Int) throws {
        let size = try PictureSize(argument: text)
        #expect(size.width == width)
        #expect(size.height == height)
    }

    @Test("what is no picture's size is refused", arguments: ["", "w780", "342", "x180", "120x"])
    func noPictureSize(text: String) {
        #expect(throws: ValueError.self) { try PictureSize(argument: text) }
    }

    @Test(
        "an origin is a scheme and a host",
        arguments: [
            "*", "https://app.example", "http://localhost:3000", "https://[::1]:8443",
            "http://127.0.0.1:8080", "https://xn--bcher-kva.example", "https://a.example:80",
            "http://a.example:443", "https://a_b.example", "https://1.example",
        ])
    func origin(text: String) throws {
        #expect(try Origin(argument: text).text == text)
    }

    @Test(
        "what is no origin is refused",
        arguments: [
            "", "app.example", "https://", "https://a/", "https://a?b", "ftp://a", "https://a b",
            "https://a,https://b", "https://u@a", "https://a\r\nX: y", "null", "//a", "a:80",
            "https://App.example", "HTTPS://app.example", "https://app.example:443",
            "http://app.example:80", "https://app.example/path", "https://app.example#",
            "https://app.example:", "https://app.example:0", "https://app.example:08",
            "https://app.example:65536", "https://app.example:x", "https://bücher.example",
            "http://127.1", "http://127.0.0.01", "http://0x7f.0.0.1", "https://[::0:1]",
            "https://[::1",
            "https://[]", "https://*.app.example", "https://a\\b",
        ])
    func noOrigin(text: String) {
        #expect(throws: ValueError.self) { try Origin(argument: text) }
    }

    @Test func `a list drops what comes twice and refuses what is empty`() throws {
        let list = try CommaList<WholeNumber>(argument: "3,1,3")
        #expect(list.elements.map(\.value) == [3, 1])
        for text in ["", "1,", ",1", "1,,2"] {
            #expect(throws: ValueError.self) { try CommaList<WholeNumber>(argument: text) }
        }
    }
}
