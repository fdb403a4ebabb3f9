import CXXHash

/// The 128-bit XXH3 hash of some bytes (xxhash.h 0.8): finds rot and tells pictures apart; no
/// defence against forged ones.
package struct ContentHash: Hashable, Sendable {
    /// Bits 127…64.
    package let high: UInt64
    /// Bits 63…0.
    package let low: UInt64

    /// Puts a stored hash together again.
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Hashes `bytes`.
    package init(of bytes: [UInt8]) {
        self = bytes.withUnsafeBytes { ContentHash(of: $0) }
    }

    /// Hashes bytes where they lie.
    package init(of bytes: UnsafeRawBufferPointer) {
        let hash = XXH3_128bits(bytes.baseAddress, bytes.count)
        self.init(high: hash.high64, low: hash.low64)
    }
}

extension ContentHash: CustomStringConvertible {
    /// 32 lower-case hexadecimal digits.
    package var description: String { Self.hex(high) + Self.hex(low) }

    private static func hex(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
