import Testing

@testable import PosterImages
@testable import PosterKit

@Suite struct JPEGWalkTests {
    /// A frame header as T.81, B.2.2 has it.
    static func frame(
        _ marker: UInt8 = 0xC0, width: Int = 16, height: Int = 8, bits: UInt8 = 8,
        factors: [UInt8] = [0x22, 0x11, 0x11]
    ) -> [UInt8] {
        [0xFF, marker, 0, UInt8(8 + 3 * factors.count), bits]
            + [UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8), UInt8(width & 255)]
            + [UInt8(factors.count)] + factors.enumerated().flatMap { [UInt8($0 + 1), $1, 0] }
    }

    static let start: [UInt8] = [0xFF, 0xD8]
    static let scan: [UInt8] = [0xFF, 0xDA, 0, 2, 0x12, 0xFF, 0x00, 0x34, 0xFF, 0xD0, 0x56]
    static let end: [UInt8] = [0xFF, 0xD9]

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
        let error: ImageError
    }

    static let refused: [Row] = [
        Row(
            testDescription: "two bytes", bytes: start,
            error: .truncated(.jpeg, "no end of image in 2 bytes")),
        Row(
            testDescription: "no picture", bytes: start + end,
            error: .corrupt(.jpeg, "it ends without a picture")),
        Row(
            testDescription: "no end", bytes: start + frame() + scan,
            error: .truncated(.jpeg, "no end of image in 32 bytes")),
        Row(
            testDescription: "49157×27397", bytes: start + frame(width: 49157, height: 27397),
            error: .sideTooLong(width: 49157, height: 27397, limit: 8192)),
        Row(
            testDescription: "1×65500", bytes: start + frame(width: 1, height: 65500),
            error: .sideTooLong(width: 1, height: 65500, limit: 8192)),
        Row(
            testDescription: "20 MP and a bit", bytes: start + frame(width: 8000, height: 2501),
            error: .tooManyPixels(width: 8000, height: 2501, limit: 20_000_000)),
        Row(
            testDescription: "height told later", bytes: start + frame(height: 0),
            error: .empty(width: 16, height: 0)),
        Row(
            testDescription: "12 bits", bytes: start + frame(0xC1, bits: 12),
            error: .unsupported("JPEG with 12 bits a sample")),
        Row(
            testDescription: "lossless", bytes: start + frame(0xC3),
            error: .unsupported("lossless JPEG")),
        Row(
            testDescription: "hierarchical", bytes: start + frame(0xC5),
            error: .unsupported("hierarchical JPEG")),
        Row(
            testDescription: "JPEG-LS", bytes: start + frame(0xF7), error: .unsupported("JPEG-LS")),
        Row(
            testDescription: "two components", bytes: start + frame(factors: [0x11, 0x11]),
            error: .unsupported("JPEG with 2 components")),
        Row(
            testDescription: "sampling factor 5", bytes: start + frame(factors: [0x51]),
            error: .corrupt(.jpeg, "sampling factors 5×1")),
        Row(
            testDescription: "two frames", bytes: start + frame() + frame(),
            error: .corrupt(.jpeg, "a second frame header")),
        Row(
            testDescription: "a picture in a picture", bytes: start + start,
            error: .corrupt(.jpeg, "a second start of image at byte 2")),
        Row(
            testDescription: "a scan first", bytes: start + scan,
            error: .corrupt(.jpeg, "a scan before the frame header")),
        Row(
            testDescription: "no marker", bytes: start + [0x00, 0xFF, 0x00, 0xFF],
            error: .truncated(.jpeg, "no end of image in 6 bytes")),
        Row(
            testDescription: "length 1", bytes: start + [0xFF, 0xFE, 0, 1],
            error: .corrupt(.jpeg, "segment FFFE at byte 2 has length 1")),
        Row(
            testDescription: "a segment past the end", bytes: start + [0xFF, 0xFE, 0xFF, 0xFF, 1],
            error: .truncated(
                .jpeg, "segment FFFE at byte 2 needs 65535 bytes, 3 are there")),
        Row(
            testDescription: "101 scans",
            bytes: start + frame(0xC2) + (0..<101).flatMap { _ in scan } + end,
            error: .tooManyScans(101, limit: 100)),
        Row(
            testDescription: "99 scans of 2.1 MP",
            bytes: start + frame(0xC2, width: 1500, height: 1400)
                + (0..<99).flatMap { _ in scan } + end,
            error: .tooMuchScanning(scans: 99, width: 1500, height: 1400, limit: 200_000_000)),
    ]

    @Test("what cannot or may not be decoded is refused by name", arguments: refused)
    func refuses(row: Row) {
        #expect(throws: row.error) { try JPEGWalk(row.bytes, limits: .init()) }
    }

    @Test func `it reads size, sampling, scans and what follows the end does not matter`() throws {
        let bytes = Self.start + Self.frame() + Self.scan + Self.scan + Self.end + [1, 2, 0xFF]
        let walk = try JPEGWalk(bytes, limits: .init())
        #expect((walk.width, walk.height, walk.scans) == (16, 8, 2))
        #expect(walk.color == .yCbCr)
        #expect(walk.chromaSubsampling == .init(horizontal: 2, vertical: 2))
    }

    @Test func `arithmetic coding has a limit of its own`() throws {
        var limits = ImageLimits()
        limits.arithmeticBytes = 34
        let bytes = Self.start + Self.frame(0xC9) + Self.scan + Self.end
        #expect(throws: Never.self) { try JPEGWalk(bytes, limits: limits) }
        #expect(throws: ImageError.tooManyBytes(35, limit: 34)) {
            try JPEGWalk(bytes + [0], limits: limits)
        }
    }

    @Test func `a grey nothing may claim no more than its data make likely`() throws {
        var limits = ImageLimits()
        (limits.arithmeticPixels, limits.arithmeticPixelsPerByte) = (100, 4)
        func walk(_ marker: UInt8, _ data: Int, _ frame: (Int, Int)) throws {
            let scan = Self.scan[..<4] + [UInt8](repeating: 1, count: data)
            let head = Self.frame(marker, width: frame.0, height: frame.1)
            _ = try JPEGWalk(Self.start + head + scan + Self.end, limits: limits)
        }
        for marker: UInt8 in [0xC9, 0xCA] {
            #expect(throws: Never.self) { try walk(marker, 15, (16, 10)) }
            #expect(throws: ImageError.tooLittleData(14, width: 16, height: 10, limit: 156)) {
                try walk(marker, 14, (16, 10))
            }
        }
        #expect(throws: Never.self) { try walk(0xC0, 1, (16, 10)) }
    }

    @Test func `only a giant that may come in several scans must be shrunk`() throws {
        let flat = [UInt8](repeating: 0x11, count: 3)
        let whole: [UInt8] = [0xFF, 0xDA, 0, 12, 3, 1, 0, 2, 0, 3, 0, 0, 63, 0]
        let cases: [(UInt8, [UInt8], [UInt8], Int)] = [
            (0xC0, flat, whole, 1), (0xC0, flat, whole + whole, 2), (0xC0, flat, Self.scan, 2),
            (0xC2, flat, whole, 2), (0xC2, [0x22, 0x11, 0x11], whole + whole, 1),
        ]
        for (marker, factors, scans, reduction) in cases {
            let frame = Self.frame(marker, width: 5000, height: 4000, factors: factors)
            let bytes = Self.start + frame + scans + Self.end
            #expect(try JPEGWalk(bytes, limits: .init()).leastReduction == reduction)
        }
    }

    @Test func `what is kept between scans has a limit`() throws {
        let ink = Self.frame(
            0xC2, width: 5000, height: 4000, factors: [UInt8](repeating: 0x11, count: 4))
        #expect(throws: ImageError.tooManyCoefficients(80_000_000, limit: 64_000_000)) {
            try JPEGWalk(Self.start + ink + Self.scan + Self.end, limits: .init())
        }
    }

    @Test func `the colours follow JFIF, then Adobe, then the component ids`() throws {
        let adobe: (UInt8) -> [UInt8] = {
            [0xFF, 0xEE, 0, 14] + Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, $0]
        }
        let jfif: [UInt8] =
            [0xFF, 0xE0, 0, 16] + Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0]
        var named = Self.frame(factors: [0x11, 0x11, 0x11])
        (named[10], named[13], named[16]) = (0x52, 0x47, 0x42)
        let four = Self.frame(factors: [0x11, 0x11, 0x11, 0x11])
        let cases: [([UInt8], JPEGWalk.Color)] = [
            (Self.frame(factors: [0x11]), .grey), (Self.frame(), .yCbCr), (named, .rgb),
            (jfif + named, .yCbCr), (adobe(0) + Self.frame(), .rgb),
            (adobe(1) + Self.frame(), .yCbCr), (jfif + adobe(0) + Self.frame(), .yCbCr),
            (four, .cmyk), (adobe(0) + four, .cmyk), (adobe(2) + four, .ycck),
        ]
        for (head, color) in cases {
            let walk = try JPEGWalk(Self.start + head + Self.scan + Self.end, limits: .init())
            #expect(walk.color == color)
        }
    }
}
