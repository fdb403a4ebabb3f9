import Testing

@testable import Benchmarks
@testable import PosterImages
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
            testDescription: "160 MB of RGBA with 16 bits",
            bytes: header(width: 4000, height: 5000, bits: 16, type: 6),
            error: .tooManyInflatedBytes(160_005_000, limit: 100_000_000)),
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
        for (file, chunk) in [("rgb.png", "IHDR"), ("palette.png", "PLTE"), ("rgb.png", "IDAT")] {
            var bytes = try Fixtures.bytes("odd/\(file)")
            let place = try #require(bytes.indices.first { bytes[$0...].starts(with: chunk.utf8) })
            bytes[place + 5] ^= 1
            #expect(throws: ImageError.self, "\(chunk)") { try PNGWalk(bytes, limits: .init()) }
        }
    }

    /// What an animation, a bomb or a liar puts before the image data, and behind it.
    static let needless: [(String, before: [UInt8], behind: [UInt8])] = {
        let bomb = PNGForgery.deflated([UInt8](repeating: 65, count: 4 << 20))
        let frame =
            [UInt8](repeating: 0, count: 4) + [0, 0, 0, 9, 0, 0, 0, 7]
            + [UInt8](repeating: 0, count: 14)
        return [
            ("zTXt", chunk("zTXt", Array("a\0\0".utf8) + bomb), []),
            ("iTXt", chunk("iTXt", Array("a\0\u{1}\0\0\0".utf8) + bomb), []),
            ("iCCP", chunk("iCCP", Array("a\0\0".utf8) + bomb), []),
            ("eXIf", chunk("eXIf", [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 4] + bomb), []),
            (
                "animation",
                chunk("acTL", [0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]) + chunk("fcTL", frame),
                chunk("fcTL", frame) + chunk("fdAT", [0, 0, 0, 2] + bomb)
            ),
            ("lies", chunk("acTL", []) + chunk("fcTL", [1]) + chunk("fdAT", []), []),
        ]
    }()

    @Test("what no pixel needs changes nothing", arguments: needless.indices)
    func ignores(row: Int) throws {
        let (name, before, behind) = Self.needless[row]
        let place = try #require(
            Self.whole.indices.first { Self.whole[$0...].starts(with: "IDAT".utf8) })
        let (head, rest) = (Self.whole[..<(place - 4)], Self.whole[(place - 4)...])
        let bytes = head + before + rest.dropLast(12) + behind + rest.suffix(12)
        let walk = try PNGWalk(Array(bytes), limits: .init())
        let plain = try PNGWalk(Self.whole, limits: .init())
        #expect(walk.pixelStream == plain.pixelStream, "\(name)")
        #expect(walk.orientation == .upright && walk.profile == nil)
    }

    @Test func `the decoder gets small image data inflated, and large ones as they are`() throws {
        let limits = ImageLimits()
        let small = try PNGWalk(Self.whole, limits: limits)
        // A row is a filter byte and 27 of pixels; the stream adds 11 to the seven rows.
        #expect(small.pixelStream.count == 8 + 25 + 13 + 12 + 7 * 28 + 11 + 12)
        let large = PNGForgery.picture(
            PNGForgery.header(width: 1200, height: 1200),
            rows: [UInt8](repeating: 0, count: 3601 * 1200))
        #expect(try PNGWalk(large, limits: limits).pixelStream == large)
        for (sides, excess) in [((9, 7), 1), ((1200, 1200), 40 << 20)] {
            let bytes = PNGForgery.picture(
                PNGForgery.header(width: sides.0, height: sides.1),
                rows: [UInt8](repeating: 0, count: (3 * sides.0 + 1) * sides.1 + excess))
            let raw = (3 * sides.0 + 1) * sides.1
            #expect(
                throws: ImageError.corrupt(
                    .png, "its image data inflate to more than \(raw) bytes")
            ) { try PNGWalk(bytes, limits: limits) }
        }
    }
}
