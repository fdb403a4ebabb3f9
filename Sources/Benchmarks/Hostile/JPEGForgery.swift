/// JPEG streams put together marker by marker (ITU-T T.81, annex B), of which a decoder believes
/// every word. Their scans hold next to nothing: a one for each block that a table calls "end".
enum JPEGForgery {
    static let start: [UInt8] = [0xFF, 0xD8]
    static let end: [UInt8] = [0xFF, 0xD9]

    /// Quantisation and Huffman tables, number 0 of each: DC has one code, for no difference; AC
    /// has one for the end of a block, or of 2¹⁴ to 2¹⁵ − 1 blocks in a progressive scan.
    static func tables(isProgressive: Bool) -> [UInt8] {
        segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
            + segment(0xC4, [0x00, 1] + [UInt8](repeating: 0, count: 15) + [0])
            + segment(
                0xC4, [0x10, 1] + [UInt8](repeating: 0, count: 15) + [isProgressive ? 0xE0 : 0])
    }

    /// A marker with its length and payload.
    static func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let length = payload.count + 2
        return [0xFF, marker, UInt8(length >> 8), UInt8(length & 255)] + payload
    }

    /// A frame header; `factors` hold a component's sampling factors each, as B.2.2 packs them.
    static func frame(_ marker: UInt8, width: Int, height: Int, factors: [UInt8]) -> [UInt8] {
        segment(
            marker,
            [8, UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8), UInt8(width & 255)]
                + [UInt8(factors.count)]
                + factors.enumerated().flatMap { [UInt8($0 + 1), $1, 0] })
    }

    /// A scan header for `components` of the coefficients from `first` to `last`.
    static func scan(_ components: [UInt8], from first: UInt8, to last: UInt8) -> [UInt8] {
        segment(
            0xDA, [UInt8(components.count)] + components.flatMap { [$0, 0x00] } + [first, last, 0])
    }

    /// A progressive picture of `components` components in full resolution: one scan of their DC
    /// coefficients, a bit a block, and `scans - 1` more that say in a few bytes each that there
    /// is nothing else.
    static func progressive(width: Int, height: Int, components: Int, scans: Int) -> [UInt8] {
        let blocks = (width + 7) / 8 * ((height + 7) / 8)
        let ids = (0..<components).map { UInt8($0 + 1) }
        var bytes = start + tables(isProgressive: true)
        bytes += frame(
            0xC2, width: width, height: height,
            factors: [UInt8](repeating: 0x11, count: components))
        bytes += scan(ids, from: 0, to: 0)
        bytes += [UInt8](repeating: 0, count: (blocks * components + 7) / 8)
        for index in 1..<max(scans, 2) where index < scans {
            bytes += scan([ids[index % components]], from: 1, to: 63) + endOfBlocks(blocks)
        }
        return bytes + end
    }

    /// Runs of ended blocks, 32767 at a time: a zero, then fourteen ones (G.1.2.2).
    private static func endOfBlocks(_ blocks: Int) -> [UInt8] {
        var bits: [UInt8] = []
        for _ in 0..<(blocks + 32766) / 32767 {
            bits.append(0)
            bits += [UInt8](repeating: 1, count: 14)
        }
        while bits.count % 8 != 0 { bits.append(1) }
        return stride(from: 0, to: bits.count, by: 8).flatMap { place -> [UInt8] in
            let byte = bits[place..<place + 8].reduce(0) { $0 << 1 | $1 }
            return byte == 0xFF ? [0xFF, 0] : [byte]
        }
    }

    /// A baseline picture whose every block is a restart interval without data: each is worth a
    /// warning, and a decoder that goes on gives millions of them.
    static func warnings(width: Int, height: Int, bytes count: Int) -> [UInt8] {
        var bytes = start + tables(isProgressive: false) + segment(0xDD, [0, 1])
        bytes += frame(0xC0, width: width, height: height, factors: [0x11])
        bytes += scan([1], from: 0, to: 63)
        while bytes.count < count {
            for restart: UInt8 in 0xD0...0xD7 { bytes += [0xFF, restart] }
        }
        return bytes + end
    }

    /// `jpeg` with segments behind its first marker.
    static func inserting(_ segments: [UInt8], into jpeg: [UInt8]) -> [UInt8] {
        Array(jpeg[..<2]) + segments + Array(jpeg[2...])
    }
}
