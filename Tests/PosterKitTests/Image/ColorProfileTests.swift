import Testing

@testable import PosterImages
@testable import PosterKit

@Suite struct ColorProfileTests {
    private let limits = ImageLimits()

    private static func wide() throws -> ColorProfile {
        let walk = try JPEGWalk(Fixtures.bytes("odd/icc-wide.jpg"), limits: .init())
        return try #require(walk.profile)
    }

    /// A thumbnail in each format.
    private func made(of bytes: [UInt8]) throws -> [ImageFormat: [UInt8]] {
        var worker = ImageWorker()
        var made: [ImageFormat: [UInt8]] = [:]
        for format in ImageFormat.allCases {
            let variant = try ThumbnailVariant(
                width: 31, height: 47, quality: 100, format: format)
            made[format] = try worker.thumbnails(of: bytes, as: [variant], limits: limits)[0]
        }
        return made
    }

    private func profile(_ picture: [UInt8], _ format: ImageFormat) throws -> ColorProfile? {
        switch format {
        case .jpeg: try JPEGWalk(picture, limits: limits).profile
        case .png: try PNGWalk(picture, limits: limits).profile
        case .webp:
            Parts.webp(picture).first { $0.name == "ICCP" }.flatMap { ColorProfile($0.body) }
        }
    }

    @Test("a profile that is not sRGB's goes with its numbers", arguments: ["jpg", "png", "rgba"])
    func kept(source: String) throws {
        let wide = try Self.wide()
        let bytes =
            switch source {
            case "jpg": try Fixtures.bytes("odd/icc-wide.jpg")
            case "png": try wide.embedded(in: Fixtures.bytes("odd/rgb.png"), .png)
            default: try wide.embedded(in: Fixtures.bytes("odd/rgba.png"), .png)
            }
        for (format, picture) in try made(of: bytes) {
            #expect(try profile(picture, format) == wide, "\(format)")
            let pixels = try TestPicture.pixels(picture)
            #expect((pixels.width, pixels.height) == (31, 47))
            #expect(
                Difference([Array(pixels.samples[15 * 31 + 8].prefix(3))], [[200, 40, 40]]).worst
                    < 12)
        }
    }

    @Test("sRGB's, and one that does not fit the numbers, is dropped", arguments: [true, false])
    func dropped(isSRGB: Bool) throws {
        var bytes = try Fixtures.bytes("odd/icc-srgb.jpg")
        if !isSRGB {
            bytes = try Self.wide().embedded(in: Fixtures.bytes("odd/grey-8bit.png"), .png)
        }
        for (format, picture) in try made(of: bytes) {
            #expect(try profile(picture, format) == nil)
        }
    }

    @Test func `grey keeps its own where it stays grey`() throws {
        var grey = try Self.wide().bytes
        grey.replaceSubrange(16..<20, with: "GRAY".utf8)
        let whole = try #require(ColorProfile(grey))
        let bytes = try whole.embedded(in: Fixtures.bytes("odd/grey-8bit.png"), .png)
        let made = try made(of: bytes)
        for (format, picture) in made {
            #expect(try profile(picture, format) == (format == .webp ? nil : whole))
        }
        let clear = try whole.embedded(in: Fixtures.bytes("odd/grey-alpha.png"), .png)
        for (format, picture) in try self.made(of: clear) {
            #expect(try profile(picture, format) == nil)
        }
    }

    @Test func `a profile overrules gamma, and one that cannot be read does not`() throws {
        let gamma = try Fixtures.bytes("odd/gama.png")
        let profiled = try Self.wide().embedded(in: gamma, .png)
        var broken = profiled
        let place = try #require(broken.indices.first { broken[$0...].starts(with: "iCCP".utf8) })
        broken[place + 20] ^= 0xFF
        func sample(_ bytes: [UInt8]) throws -> [Int] { try TestPicture.pixels(bytes).samples[0] }
        #expect(try sample(profiled) != sample(gamma))
        #expect(try sample(broken) == sample(gamma))
    }

    @Test func `the largest that is kept fits every format, and a byte more is too much`() throws {
        let padding = [UInt8](repeating: 7, count: ColorProfile.limit)
        let bytes = Array((try Self.wide().bytes + padding).prefix(ColorProfile.limit))
        #expect(ColorProfile(bytes + [7]) == nil)
        let largest = try #require(ColorProfile(bytes))
        let source = try largest.embedded(in: Fixtures.bytes("odd/rgb.png"), .png)
        for (format, picture) in try made(of: source) {
            #expect(try profile(picture, format) == largest)
        }
    }

    /// A PNG with a chunk behind its header.
    private static func inserting(
        _ name: String, _ body: [UInt8], into png: [UInt8]
    ) -> [UInt8] {
        var made = Array(png[..<33])
        PNGWalk.append(name, body[...], to: &made)
        return made + png[33...]
    }

    @Test func `a profile counts that inflates whole, though its stream has no end`() throws {
        let (wide, png) = (try Self.wide(), try Fixtures.bytes("odd/rgb.png"))
        let embedded = try wide.embedded(in: png, .png)
        let length = embedded[33..<37].reduce(0) { $0 << 8 | Int($1) }
        let body = Array(embedded[41..<41 + length])
        var altered = body
        altered[length - 1] ^= 1
        // The checksum, and a bit of the last block that ends it.
        for kept in [body, altered] + (1...4).map({ Array(body.dropLast($0)) }) {
            let walk = try PNGWalk(Self.inserting("iCCP", kept, into: png), limits: limits)
            #expect(walk.profile == wide)
        }
        for cut in [5, 10, length / 2, length - 12] {
            let bytes = Self.inserting("iCCP", Array(body.prefix(cut)), into: png)
            #expect(try PNGWalk(bytes, limits: limits).profile == nil)
        }
    }

    @Test func `code points go before a profile, and what no profile describes does not`() throws {
        let (wide, png) = (try Self.wide(), try Fixtures.bytes("odd/gama.png"))
        let profiled = try wide.embedded(in: png, .png)
        func walk(_ points: [UInt8], _ png: [UInt8]) throws -> PNGWalk {
            try PNGWalk(Self.inserting("cICP", points, into: png), limits: limits)
        }
        #expect(try walk([1, 13, 0, 1], profiled).profile == nil)
        // Display P3, BT.2020, and BT.709's own curve.
        let all = try [[12, 13, 0, 1], [9, 1, 0, 1], [1, 1, 0, 1]].map { points in
            try #require(try walk(points, profiled).profile)
        }
        #expect(Set(all.map(\.bytes)).count == 3 && !all.contains(wide))
        for (format, picture) in try made(of: Self.inserting("cICP", [12, 13, 0, 1], into: png)) {
            #expect(try profile(picture, format) == all[0], "\(format)")
        }
        // PQ, HLG, unknown primaries, a matrix, half of the range, a byte too few.
        for points: [UInt8] in [
            [9, 16, 0, 1], [9, 18, 0, 1], [2, 13, 0, 1], [1, 13, 1, 1], [1, 13, 0, 0], [1, 13, 0],
        ] { #expect(try walk(points, profiled).profile == wide, "\(points)") }
        let grey = try Fixtures.bytes("odd/grey-8bit.png")
        #expect(try walk([12, 13, 0, 1], grey).profile == nil)
    }

    @Test func `profiles in parts follow libjpeg's rules, and only before the first scan`() throws {
        let jpeg = JPEGParts(try Fixtures.bytes("odd/icc-wide.jpg"))
        let place = try #require(jpeg.parts.firstIndex { $0.marker == 0xE2 })
        let profile = jpeg.parts[place].payload.dropFirst(14)
        func walk(_ parts: [(UInt8, UInt8, ArraySlice<UInt8>)]) throws -> ColorProfile? {
            var changed = jpeg
            changed.parts.remove(at: place)
            for (number, count, body) in parts.reversed() {
                let payload = Array("ICC_PROFILE\0".utf8) + [number, count] + body
                changed.parts.insert(.init(marker: 0xE2, payload: payload), at: place)
            }
            return try JPEGWalk(changed.bytes, limits: limits).profile
        }
        let (one, two) = (profile.prefix(100), profile.dropFirst(100))
        let wide = try Self.wide()
        #expect(try walk([(1, 1, profile)]) == wide)
        #expect(try walk([(1, 2, one), (2, 2, two)]) == wide)
        #expect(try walk([(2, 2, two), (1, 2, one)]) == wide)
        let wrong: [[(UInt8, UInt8, ArraySlice<UInt8>)]] = [
            [(1, 2, profile)], [(0, 1, profile)], [(1, 1, profile), (1, 1, profile)],
            [(1, 2, one), (2, 3, two)], [(1, 2, one), (1, 2, two)], [(1, 3, one), (2, 3, two)],
        ]
        for parts in wrong { #expect(try walk(parts) == nil) }
        var late = jpeg
        let part = late.parts.remove(at: place)
        late.parts.insert(part, at: late.firstScan + 1)
        #expect(try JPEGWalk(late.bytes, limits: limits).profile == nil)
    }

    @Test(
        "thumbnails carry no metadata",
        arguments: ["exif-6.jpg", "trailing.jpg", "text-bomb.png", "rgba.png"])
    func bare(file: String) throws {
        for (format, picture) in try made(of: Fixtures.bytes("odd/\(file)")) {
            let names = Set(Parts.names(picture, format))
            let allowed: Set<String> =
                switch format {
                case .jpeg: ["E0", "DB", "C0", "C4", "DA"]
                case .png: ["IHDR", "sRGB", "IDAT", "IEND"]
                case .webp: ["VP8X", "ALPH", "VP8 "]
                }
            #expect(names.isSubset(of: allowed), "\(names)")
        }
    }
}

/// The named parts of an encoded picture.
private enum Parts {
    static func names(_ bytes: [UInt8], _ format: ImageFormat) -> [String] {
        switch format {
        case .webp: return webp(bytes).map(\.name)
        case .png:
            var (names, position) = ([String](), 8)
            while position + 8 <= bytes.count {
                names.append(String(decoding: bytes[position + 4..<position + 8], as: UTF8.self))
                position += 12 + bytes[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
            }
            return names
        case .jpeg:
            var (names, position) = ([String](), 2)
            while position + 4 <= bytes.count, names.last != "DA" {
                names.append(String(bytes[position + 1], radix: 16, uppercase: true))
                position += 2 + Int(bytes[position + 2]) << 8 + Int(bytes[position + 3])
            }
            return names
        }
    }

    static func webp(_ bytes: [UInt8]) -> [(name: String, body: [UInt8])] {
        var (parts, position) = ([(name: String, body: [UInt8])](), 12)
        while position + 8 <= bytes.count {
            let size = (0..<4).reduce(0) { $0 | Int(bytes[position + 4 + $1]) << (8 * $1) }
            let body = bytes[(position + 8)...].prefix(size)
            parts.append(
                (String(decoding: bytes[position..<position + 4], as: UTF8.self), Array(body)))
            position += 8 + size + size & 1
        }
        return parts
    }
}
