import CTurboJPEG

/// A picture that is costly to decode by design, or an honest one at the limits.
struct HostilePicture: Sendable {
    /// What it may cost.
    enum Kind: String, Sendable {
        /// Little that claims much: refused, or harmless, at once.
        case bomb
        /// As much work as an input within the limits can be.
        case giant
    }

    /// A word or two for a table, and for a file's name.
    let name: String
    let kind: Kind
    let make: @Sendable () -> [UInt8]
}

extension HostilePicture {
    /// All of them, the cheap ones first.
    static let all = jpegBombs + pngBombs + jpegGiants + pngGiants

    static let jpegBombs = [
        HostilePicture(name: "scan-bomb", kind: .bomb) {
            JPEGForgery.progressive(width: 2048, height: 3072, components: 3, scans: 1000)
        },
        HostilePicture(name: "101-scans", kind: .bomb) {
            JPEGForgery.progressive(width: 64, height: 96, components: 3, scans: 101)
        },
        claiming("65500x65500", 0xC0, 65500, 65500), claiming("30000x30000", 0xC2, 30000, 30000),
        claiming("49157x27397", 0xC0, 49157, 27397), claiming("1x65500", 0xC0, 1, 65500),
        claiming("8193x10", 0xC0, 8193, 10), claiming("20MP-and-a-row", 0xC0, 4000, 5001),
        claiming("20MP-baseline", 0xC0, 4000, 5000),
        claiming("20MP-progressive", 0xC2, 4000, 5000),
        // An arithmetic decoder takes what is missing for zeros (T.81, D.2.6): these are whole
        // pictures, grey all over.
        claiming("20MP-arithmetic", 0xC9, 4000, 5000), claiming("2MP-arithmetic", 0xC9, 1250, 1600),
        HostilePicture(name: "warnings", kind: .bomb) {
            JPEGForgery.warnings(width: 4000, height: 5000, bytes: GiantPicture.bytes)
        },
        HostilePicture(name: "100-APP1-of-64kB", kind: .bomb) {
            let exif = Array("Exif\0\0II*\0\u{8}\0\0\0".utf8) + [0xFF, 0xFF]
            let segment = JPEGForgery.segment(
                0xE1, exif + [UInt8](repeating: 0xFF, count: 65533 - exif.count))
            return JPEGForgery.inserting(
                (0..<100).flatMap { _ in segment }, into: flatJPEG)
        },
        HostilePicture(name: "255-ICC-parts", kind: .bomb) {
            let parts = (1...255).flatMap { part -> [UInt8] in
                let body = [UInt8](repeating: 7, count: 30000)
                return JPEGForgery.segment(
                    0xE2, Array("ICC_PROFILE\0".utf8) + [UInt8(part), 255] + body)
            }
            return JPEGForgery.inserting(parts, into: flatJPEG)
        },
    ]

    static let pngBombs = [
        claimingPNG("2147483647-wide", .max >> 32, 1), claimingPNG("1000001-wide", 1_000_001, 1),
        claimingPNG("200000x200000-1bit", 200_000, 200_000, bits: 1, type: 0),
        claimingPNG("20000x20000-RGBA", 20_000, 20_000, type: 6),
        claimingPNG("20000x20000-Adam7", 20_000, 20_000, type: 6, isInterlaced: true),
        claimingPNG("20MP-RGBA", 4000, 5000, type: 6),
        claimingPNG("20MP-RGBA-16bit", 4000, 5000, bits: 16, type: 6),
        around("zTXt-bomb") { text("zTXt", Array("a\0\0".utf8), inflating: 1 << 28) },
        around("iTXt-bomb") { text("iTXt", Array("a\0\u{1}\0\0\0".utf8), inflating: 1 << 28) },
        around("iCCP-bomb") { text("iCCP", Array("a\0\0".utf8), inflating: 1 << 28) },
        around("eXIf-of-4MB") {
            PNGForgery.chunk(
                "eXIf", Array("MM\0*\0\0\0\u{8}".utf8) + [UInt8](repeating: 0xFF, count: 4 << 20))
        },
        around("5000-tEXt") {
            (0..<5000).flatMap { _ in PNGForgery.chunk("tEXt", Array("a\0b".utf8)) }
        },
        HostilePicture(name: "false-length", kind: .bomb) {
            PNGForgery.header(width: 64, height: 96)
                + PNGForgery.chunk("IDAT", [1, 2, 3], claiming: 0x7FFF_FFFF)
        },
        around("200000-empty-IDAT") {
            (0..<200_000).flatMap { _ in PNGForgery.chunk("IDAT", []) }
        },
        HostilePicture(name: "one-byte-IDATs", kind: .bomb) {
            PNGForgery.picture(
                PNGForgery.header(width: 64, height: 96), rows: noisyRows(count: 193 * 96),
                part: 1, level: 0)
        },
        HostilePicture(name: "50MB-too-many", kind: .bomb) {
            PNGForgery.small(extra: 50_000_000)
        },
        HostilePicture(name: "500MB-too-many", kind: .bomb) {
            PNGForgery.small(extra: 500_000_000)
        },
    ]

    /// A whole header and then next to nothing.
    private static func claiming(
        _ name: String, _ marker: UInt8, _ width: Int, _ height: Int
    ) -> HostilePicture {
        HostilePicture(name: name, kind: .bomb) {
            JPEGForgery.start + JPEGForgery.tables(isProgressive: marker == 0xC2)
                + JPEGForgery.frame(
                    marker, width: width, height: height, factors: [0x11, 0x11, 0x11])
                + JPEGForgery.scan([1, 2, 3], from: 0, to: marker == 0xC2 ? 0 : 63)
                + [0x55, 0x55] + JPEGForgery.end
        }
    }

    private static func claimingPNG(
        _ name: String, _ width: Int, _ height: Int, bits: UInt8 = 8, type: UInt8 = 2,
        isInterlaced: Bool = false
    ) -> HostilePicture {
        HostilePicture(name: name, kind: .bomb) {
            PNGForgery.picture(
                PNGForgery.header(
                    width: width, height: height, bits: bits, type: type,
                    isInterlaced: isInterlaced), rows: [0, 0])
        }
    }

    /// A small honest picture with something before its pixels.
    private static func around(
        _ name: String, _ chunks: @escaping @Sendable () -> [UInt8]
    ) -> HostilePicture {
        HostilePicture(name: name, kind: .bomb) { PNGForgery.small(chunks()) }
    }

    private static func text(_ chunk: String, _ head: [UInt8], inflating count: Int) -> [UInt8] {
        PNGForgery.chunk(chunk, head + PNGForgery.deflated([UInt8](repeating: 65, count: count)))
    }

    private static func noisyRows(count: Int) -> [UInt8] {
        var random = UInt32(7)
        return (0..<count).map { index in
            random = random &* 1_664_525 &+ 1_013_904_223
            return index % 193 == 0 ? 0 : UInt8(random >> 24)
        }
    }

    private static let flatJPEG = JPEGForgery.progressive(
        width: 64, height: 96, components: 3, scans: 4)
}

extension HostilePicture {
    static let jpegGiants = [
        HostilePicture(name: "1-scan-of-20MP", kind: .giant) {
            JPEGForgery.progressive(width: 4000, height: 5000, components: 3, scans: 1)
        },
        HostilePicture(name: "100-scans-of-2MP", kind: .giant) {
            JPEGForgery.progressive(width: 1000, height: 2000, components: 3, scans: 100)
        },
        HostilePicture(name: "10-scans-of-20MP", kind: .giant) {
            JPEGForgery.progressive(width: 4000, height: 5000, components: 3, scans: 10)
        },
        HostilePicture(name: "2-scans-of-20MP-CMYK", kind: .giant) {
            JPEGForgery.progressive(width: 4000, height: 5000, components: 4, scans: 2)
        },
        HostilePicture(name: "2-million-comments", kind: .giant) {
            JPEGForgery.inserting(
                (0..<GiantPicture.bytes / 4 - 1000).flatMap { _ in [0xFF, 0xFE, 0, 2] as [UInt8] },
                into: flatJPEG)
        },
        HostilePicture(name: "8MB-of-fill-bytes", kind: .giant) {
            JPEGForgery.inserting(
                [UInt8](repeating: 0xFF, count: GiantPicture.bytes - 4096), into: flatJPEG)
        },
        giant("baseline-4:2:0", TJSAMP_420), giant("baseline-4:4:4", TJSAMP_444),
        giant("progressive-4:2:0", TJSAMP_420, isProgressive: true),
        giant("progressive-4:4:4", TJSAMP_444, isProgressive: true),
        giant("arithmetic-4:4:4", TJSAMP_444, isArithmetic: true),
        giant("arithmetic-progressive", TJSAMP_444, isProgressive: true, isArithmetic: true),
        HostilePicture(name: "CMYK", kind: .giant) {
            GiantPicture.jpeg(TJSAMP_444, isProgressive: false, isInk: true)
        },
        HostilePicture(name: "CMYK-progressive", kind: .giant) {
            GiantPicture.jpeg(TJSAMP_444, isProgressive: true, isInk: true)
        },
        // As large as the largest box, so that no noise is averaged away.
        HostilePicture(name: "baseline-2000x3000", kind: .giant) {
            GiantPicture.jpeg(TJSAMP_444, isProgressive: false, width: 2000, height: 3000)
        },
        HostilePicture(name: "progressive-2000x3000", kind: .giant) {
            GiantPicture.jpeg(TJSAMP_444, isProgressive: true, width: 2000, height: 3000)
        },
        // The most coefficients that are decoded whole.
        HostilePicture(name: "progressive-4:4:4-14.9MP", kind: .giant) {
            GiantPicture.jpeg(TJSAMP_444, isProgressive: true, width: 3650, height: 4080)
        },
        HostilePicture(name: "grey", kind: .giant) {
            GiantPicture.jpeg(TJSAMP_GRAY, isProgressive: false)
        },
    ]

    static let pngGiants = [
        HostilePicture(name: "690000-chunks", kind: .giant) {
            let chunk = PNGForgery.chunk("aaAa", [])
            return PNGForgery.small(
                (0..<(GiantPicture.bytes - 4096) / chunk.count).flatMap { _ in chunk })
        },
        giantPNG("RGB", 8, 2, 3), giantPNG("RGBA", 8, 6, 4),
        HostilePicture(name: "PNG-RGBA-noisy-alpha", kind: .giant) {
            GiantPicture.clearPNG(width: 4000, height: 5000)
        },
        HostilePicture(name: "PNG-RGBA-2000x3000", kind: .giant) {
            GiantPicture.clearPNG(width: 2000, height: 3000)
        },
        giantPNG("grey-16bit", 16, 0, 1), giantPNG("palette", 8, 3, 1),
        giantPNG("RGBA-Adam7", 8, 6, 4, isInterlaced: true),
        // As many rows as 100 MB are.
        giantPNG("RGBA-16bit", 16, 6, 4, height: 3124),
        giantPNG("RGBA-16bit-Adam7", 16, 6, 4, isInterlaced: true, height: 3120),
    ]

    private static func giant(
        _ name: String, _ sampling: TJSAMP, isProgressive: Bool = false,
        isArithmetic: Bool = false
    ) -> HostilePicture {
        HostilePicture(name: name, kind: .giant) {
            GiantPicture.jpeg(
                sampling, isProgressive: isProgressive, isArithmetic: isArithmetic,
                bytes: isArithmetic ? 4 << 20 : GiantPicture.bytes)
        }
    }

    private static func giantPNG(
        _ name: String, _ bits: UInt8, _ type: UInt8, _ channels: Int, isInterlaced: Bool = false,
        height: Int = GiantPicture.height
    ) -> HostilePicture {
        HostilePicture(name: "PNG-" + name, kind: .giant) {
            GiantPicture.png(
                bits: bits, type: type, channels: channels, isInterlaced: isInterlaced,
                height: height)
        }
    }
}
