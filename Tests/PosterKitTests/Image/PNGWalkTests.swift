import Testing

@testable import PosterKit

@Suite struct PNGWalkTests {
    static let whole: [UInt8] = {
        var worker = ImageWorker()
        do {
            return try worker.encode(
                TestPicture.drawn(width: 9, height: 7), format: .png, quality: 1)
        } catch { fatalError("\(error)") }
    }()

    /// A chunk with the right checksum, put before the image data.
    static func inserting(_ name: String, _ body: [UInt8]) -> [UInt8] {
        let place = whole.indices.first { whole[$0...].starts(with: "IDAT".utf8) } ?? 0
        return Array(whole[..<(place - 4)]) + chunk(name, body) + Array(whole[(place - 4)...])
    }

    static func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
        func number(_ value: UInt32) -> [UInt8] {
            (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
        }
        let content = Array(name.utf8) + body
        var sum = UInt32.max
        for byte in content {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        return number(UInt32(body.count)) + content + number(~sum)
    }

    static func header(width: UInt32, height: UInt32, bits: UInt8 = 8, type: UInt8 = 2) -> [UInt8] {
        let sides = [width, height].flatMap { side in
            (0..<4).map { UInt8(truncatingIfNeeded: side >> (24 - 8 * $0)) }
        }
        return Array(whole[..<8]) + chunk("IHDR", sides + [bits, type, 0, 0, 0])
    }

    @Test func `only what pixels need reaches the decoder`() throws {
        let bytes = Self.inserting("tEXt", Array("Comment\0<script>".utf8))
        let walk = try PNGWalk(bytes + Array("after the end".utf8), limits: .init())
        #expect((walk.width, walk.height) == (9, 7))
        #expect(
            walk.pixelStream == (try PNGWalk(Self.whole, limits: .init())).pixelStream)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
        let error: ImageError
    }

    static let refused: [Row] = [
        Row(
            testDescription: "2³¹−1 wide", bytes: header(width: .max / 2, height: 1),
            error: .sideTooLong(width: 2_147_483_647, height: 1, limit: 8192)),
        Row(
            testDescription: "no rows", bytes: header(width: 1, height: 0),
            error: .empty(width: 1, height: 0)),
        Row(
            testDescription: "8192×8192", bytes: header(width: 8192, height: 8192),
            error: .tooManyPixels(width: 8192, height: 8192, limit: 20_000_000)),
        Row(
            testDescription: "RGB with 4 bits", bytes: header(width: 1, height: 1, bits: 4),
            error: .corrupt(.png, "colour type 2 with 4 bits")),
        Row(
            testDescription: "an unknown critical chunk", bytes: inserting("ABCD", []),
            error: .unsupported("PNG with a ABCD chunk")),
        Row(
            testDescription: "Apple's form",
            bytes: Array(whole[..<8]) + chunk("CgBI", [0, 0, 0, 0]),
            error: .unsupported("Apple's private form of PNG (CgBI)")),
        Row(
            testDescription: "a false length",
            bytes: header(width: 1, height: 1) + [0x7F, 0xFF, 0xFF, 0xFF] + "IDAT".utf8 + [1, 2, 3]
                + [4],
            error: .truncated(
                .png, "the IDAT chunk at byte 33 needs 2147483647 bytes, 0 are there")),
        Row(
            testDescription: "no image data",
            bytes: header(width: 1, height: 1) + chunk("IEND", []),
            error: .corrupt(.png, "it holds no image data")),
        Row(
            testDescription: "no palette",
            bytes: header(width: 1, height: 1, type: 3) + chunk("IDAT", [1]) + chunk("IEND", []),
            error: .corrupt(.png, "it lacks its palette")),
        Row(
            testDescription: "split image data",
            bytes: header(width: 1, height: 1) + chunk("IDAT", [1]) + chunk("tIME", [])
                + chunk("IDAT", [1]),
            error: .corrupt(.png, "image data in two places, again at byte 58")),
    ]

    @Test("what cannot or may not be decoded is refused by name", arguments: refused)
    func refuses(row: Row) {
        #expect(throws: row.error) { try PNGWalk(row.bytes, limits: .init()) }
    }

    @Test func `a wrong checksum matters only where pixels need the chunk`() throws {
        var text = Self.inserting("tEXt", [1, 2, 3])
        let place = try #require(text.indices.first { text[$0...].starts(with: "tEXt".utf8) })
        text[place + 4] ^= 1
        #expect(throws: Never.self) { try PNGWalk(text, limits: .init()) }
        var data = Self.whole
        data[data.count - 20] ^= 1
        #expect(throws: ImageError.self) { try PNGWalk(data, limits: .init()) }
    }
}
