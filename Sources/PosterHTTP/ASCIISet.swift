/// A set of ASCII characters as a bit each: asked of every byte of every request's head.
struct ASCIISet: Sendable {
    private let low: UInt64
    private let high: UInt64

    /// All ASCII letters, the digits, and those of `others`.
    init(lettersDigitsAnd others: String) {
        let letters = [0x30...0x39, 0x41...0x5A, 0x61...0x7A].joined()
        var (low, high) = (UInt64(0), UInt64(0))
        for byte in letters + others.utf8.map({ Int($0) }) {
            if byte < 64 { low |= 1 << byte } else { high |= 1 << (byte - 64) }
        }
        (self.low, self.high) = (low, high)
    }

    /// Whether a byte is one of them.
    func contains(_ byte: UInt8) -> Bool {
        byte < 128 && (byte < 64 ? low : high) >> UInt64(byte & 63) & 1 == 1
    }
}
