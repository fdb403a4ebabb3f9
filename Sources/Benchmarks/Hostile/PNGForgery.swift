import CPNG

/// PNG streams put together chunk by chunk (W3C PNG, section 5), with right checksums.
enum PNGForgery {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    static let end = chunk("IEND", [])

    /// A chunk; `claiming` states another length than the body has.
    static func chunk(_ name: String, _ body: [UInt8], claiming length: Int? = nil) -> [UInt8] {
        let content = Array(name.utf8) + body
        let sum = content.withUnsafeBufferPointer { crc32_z(0, $0.baseAddress, $0.count) }
        return number(length ?? body.count) + content + number(Int(sum))
    }

    static func header(
        width: Int, height: Int, bits: UInt8 = 8, type: UInt8 = 2, isInterlaced: Bool = false
    ) -> [UInt8] {
        signature
            + chunk(
                "IHDR",
                number(width) + number(height) + [bits, type, 0, 0, isInterlaced ? 1 : 0])
    }

    /// A whole picture: `rows` is what is compressed, a filter byte before each row. `before` are
    /// chunks that precede the image data, which come in parts of `part` bytes.
    static func picture(
        _ header: [UInt8], _ before: [UInt8] = [], rows: [UInt8], part: Int = .max,
        level: Int32 = 6
    ) -> [UInt8] {
        let data = deflated(rows, level: level)
        var bytes = header + before
        var place = 0
        while place < data.count {
            let next = place + min(part, data.count - place)
            bytes += chunk("IDAT", Array(data[place..<next]))
            place = next
        }
        return bytes + end
    }

    /// A black picture of 64×96 with chunks before its image data.
    static func small(_ before: [UInt8] = [], part: Int = .max, extra: Int = 0) -> [UInt8] {
        picture(
            header(width: 64, height: 96), before,
            rows: [UInt8](repeating: 0, count: 193 * 96 + extra), part: part, level: 9)
    }

    /// A zlib stream (RFC 1950).
    static func deflated(_ bytes: [UInt8], level: Int32 = 9) -> [UInt8] {
        var size = compressBound(UInt(bytes.count))
        var output = [UInt8](repeating: 0, count: Int(size))
        guard compress2(&output, &size, bytes, UInt(bytes.count), level) == Z_OK else {
            fatalError("zlib cannot compress \(bytes.count) bytes")
        }
        return Array(output[..<Int(size)])
    }

    private static func number(_ value: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
    }
}
