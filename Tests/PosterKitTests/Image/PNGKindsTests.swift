import Testing

@testable import Benchmarks
@testable import PosterKit

/// Every colour type and depth that PNG has (W3C PNG, table 8), with and without a transparent
/// colour and Adam7, decoded to what its samples say.
@Suite struct PNGKindsTests {
    struct Kind: Sendable, CustomTestStringConvertible {
        let type: UInt8
        let bits: Int
        /// One colour is transparent, by a `tRNS` chunk.
        let isKeyed: Bool
        let isInterlaced: Bool

        var channels: Int { [0: 1, 2: 3, 3: 1, 4: 2][type] ?? 4 }
        var greatest: Int { 1 << bits - 1 }
        var testDescription: String {
            "type \(type), \(bits) bits" + (isKeyed ? ", tRNS" : "")
                + (isInterlaced ? ", Adam7" : "")
        }
    }

    static let kinds: [Kind] = [
        (0, [1, 2, 4, 8, 16]), (2, [8, 16]), (3, [1, 2, 4, 8]), (4, [8, 16]), (6, [8, 16]),
    ].flatMap { (type: UInt8, depths: [Int]) in
        depths.flatMap { bits in
            (type < 4 ? [false, true] : [false]).flatMap { isKeyed in
                [false, true].map {
                    Kind(type: type, bits: bits, isKeyed: isKeyed, isInterlaced: $0)
                }
            }
        }
    }

    /// Odd, and large enough for all seven passes.
    private static let (width, height) = (9, 7)

    @Test("each kind shows what its samples say", arguments: kinds)
    func shows(kind: Kind) throws {
        let made = try TestPicture.pixels(Self.png(kind))
        #expect((made.width, made.height) == (Self.width, Self.height))
        let wanted = (0..<Self.width * Self.height).map { pixel in
            Self.color(kind, pixel % Self.width, pixel / Self.width)
        }
        #expect(Difference(made.samples, wanted).worst <= 1)
    }

    /// Some sample of its own for each place and channel.
    private static func sample(_ kind: Kind, _ x: Int, _ y: Int, _ channel: Int) -> Int {
        (x * 6007 + y * 11113 + channel * 5003) >> max(0, 12 - kind.bits) & kind.greatest
    }

    private static func entry(_ index: Int) -> [Int] {
        [index * 37 % 256, index * 11 % 256, index]
    }

    /// The pixel as it must be decoded: grey, RGB, or RGB multiplied by alpha, and alpha.
    private static func color(_ kind: Kind, _ x: Int, _ y: Int) -> [Int] {
        func samples(_ x: Int, _ y: Int) -> [Int] {
            (0..<kind.channels).map { sample(kind, x, y, $0) }
        }
        func level(_ sample: Int) -> Int {
            Int((Double(sample) * 255 / Double(kind.greatest)).rounded())
        }
        let pixel = samples(x, y)
        var color = kind.type == 3 ? entry(pixel[0]) : pixel.map(level)
        var alpha = kind.isKeyed && pixel == samples(2, 3) ? 0 : 255
        if kind.type >= 4 { alpha = color.removeLast() }
        guard kind.type >= 4 || kind.isKeyed else { return color }
        if color.count == 1 { color = [color[0], color[0], color[0]] }
        return color.map { ($0 * alpha + 127) / 255 } + [alpha]
    }

    private static func png(_ kind: Kind) -> [UInt8] {
        var before: [UInt8] = []
        if kind.type == 3 {
            let entries = (0...kind.greatest).flatMap { entry($0).map { UInt8($0) } }
            before += PNGForgery.chunk("PLTE", entries)
        }
        if kind.isKeyed {
            let key = (0..<kind.channels).map { sample(kind, 2, 3, $0) }
            let body =
                kind.type == 3
                ? [UInt8](repeating: 255, count: key[0]) + [0]
                : key.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
            before += PNGForgery.chunk("tRNS", body)
        }
        let header = PNGForgery.header(
            width: width, height: height, bits: UInt8(kind.bits), type: kind.type,
            isInterlaced: kind.isInterlaced)
        return PNGForgery.picture(header, before, rows: rows(kind))
    }

    /// The rows of all passes, unfiltered.
    private static func rows(_ kind: Kind) -> [UInt8] {
        let passes =
            kind.isInterlaced
            ? [
                (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4),
                (1, 0, 2, 2), (0, 1, 1, 2),
            ] : [(0, 0, 1, 1)]
        var rows: [UInt8] = []
        for (left, top, across, down) in passes where left < width {
            for y in stride(from: top, to: height, by: down) {
                rows += [0] + row(kind, stride(from: left, to: width, by: across), y)
            }
        }
        return rows
    }

    private static func row(_ kind: Kind, _ columns: StrideTo<Int>, _ y: Int) -> [UInt8] {
        let bits = columns.flatMap { x in
            (0..<kind.channels).flatMap { channel in
                let sample = sample(kind, x, y, channel)
                return (0..<kind.bits).map { sample >> (kind.bits - 1 - $0) & 1 }
            }
        }
        return stride(from: 0, to: bits.count, by: 8).map { start in
            (0..<8).reduce(0) { $0 << 1 | UInt8(start + $1 < bits.count ? bits[start + $1] : 0) }
        }
    }
}
