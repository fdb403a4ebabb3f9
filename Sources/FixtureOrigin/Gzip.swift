/// Gzip streams made by hand (RFC 1952, deflate of RFC 1951), as no compression is needed.
enum Gzip {
    /// The bytes in stored blocks: valid gzip, a little longer than its content.
    static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var out = header
        var position = 0
        repeat {
            let end = min(position + 0xFFFF, bytes.count)
            let count = UInt16(end - position)
            out.append(end == bytes.count ? 1 : 0)
            out += littleEndian(count) + littleEndian(~count) + bytes[position..<end]
            position = end
        } while position < bytes.count
        return out + littleEndian(crc32(bytes)) + littleEndian(UInt32(bytes.count))
    }

    /// About a hundred and sixtieth of that many zeros, which is what it inflates to.
    ///
    /// One block with the fixed codes: a literal zero, then matches of length 258 at distance 1.
    /// The true number is the next one above that is whole matches.
    static func bomb(inflatedBytes: Int) -> [UInt8] {
        let matches = (min(max(inflatedBytes, 0), 1 << 30) + 256) / 258
        var bits = BitWriter(bytes: header)
        bits.append(0b011, count: 3)  // last block, fixed codes
        bits.append(0b0000_1100, count: 8)  // literal 0: code 00110000, most significant bit first
        for _ in 0..<matches {
            bits.append(0b1010_0011, count: 8)  // length 258: code 11000101
            bits.append(0, count: 5)  // distance 1: code 00000
        }
        bits.append(0, count: 7)  // end of block
        let total = 1 + matches * 258
        let checksum = crc32([UInt8](repeating: 0, count: total))
        return bits.bytes + littleEndian(checksum) + littleEndian(UInt32(total))
    }

    private static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in
            value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1
        }
    }

    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        table.withUnsafeBufferPointer { table in
            bytes.withUnsafeBufferPointer { bytes in
                var sum: UInt32 = 0xFFFF_FFFF
                for byte in bytes { sum = table[Int((sum ^ UInt32(byte)) & 0xFF)] ^ (sum >> 8) }
                return ~sum
            }
        }
    }

    private static func littleEndian<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
}

/// Packs bits from the least significant end of each byte, as deflate does.
private struct BitWriter {
    private(set) var bytes: [UInt8]
    private var used = 8

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func append(_ bits: UInt8, count: Int) {
        for position in 0..<count {
            if used == 8 {
                bytes.append(0)
                used = 0
            }
            bytes[bytes.count - 1] |= ((bits >> position) & 1) << used
            used += 1
        }
    }
}
