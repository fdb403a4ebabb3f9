/// Entropy-coded data as a file holds them: high bits first, `FF` followed by a stuffed zero
/// (ITU-T T.81, F.1.2.3).
struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private var bits: UInt64 = 0
    private var count = 0

    /// Writes the lowest 0…32 bits of `value`.
    mutating func write(_ value: UInt64, _ length: Int) {
        bits = bits << UInt64(length) | value & ((1 << UInt64(length)) - 1)
        count += length
        while count >= 8 {
            count -= 8
            let byte = UInt8(truncatingIfNeeded: bits >> UInt64(count))
            bytes.append(byte)
            if byte == 0xFF { bytes.append(0) }
        }
    }

    /// Fills the last byte with ones, and puts a restart marker behind it.
    mutating func restart(_ number: Int) {
        align()
        bytes += [0xFF, 0xD0 + UInt8(number & 7)]
    }

    /// Fills the last byte with ones.
    mutating func align() {
        if count > 0 { write(0xFF, 8 - count) }
    }
}
