/// A Huffman table (ITU-T T.81, annex C) in the form in which a decoder reads it fastest: the next
/// bits are the index of what they mean, with the coefficient's own bits where these fit in, too.
struct HuffmanTable: ~Copyable {
    /// What the next bits mean.
    struct Entry {
        /// From the lowest: 8 bits ``length``, 8 bits ``advance``, 16 bits ``value``. All zeros for
        /// bits that mean nothing.
        let packed: UInt32

        /// How many bits it takes; of a coefficient with its own.
        @inline(__always) var length: UInt64 { UInt64(packed & 0xFF) }
        /// By how many coefficients it leads on: the zeros before its own, and that one. 0 for an
        /// end of block.
        @inline(__always) var advance: Int { Int(truncatingIfNeeded: packed &>> 8 & 0xFF) }
        /// The coefficient, or for an end of block the number of bits of its run.
        @inline(__always) var value: Int {
            Int(Int32(truncatingIfNeeded: packed) &>> 16)
        }

        init(packed: UInt32) { self.packed = packed }

        init(length: Int, advance: Int, value: Int) {
            packed =
                UInt32(length) | UInt32(advance) << 8
                | UInt32(UInt16(truncatingIfNeeded: value)) << 16
        }
    }

    /// Bits of an index: two tables of 8 KB lie in a core's nearest cache beside the rest, and 49
    /// of 50 coefficients of a poster fit in.
    private static let indexBits = 11

    /// The codes that are longer than an index.
    private struct Codes {
        var isDC = false
        /// For each length the first code behind those of up to that length, in 16 bits.
        var ends = InlineArray<17, UInt32>(repeating: 0)
        /// For each length what to add to a code for its symbol's index.
        var offsets = InlineArray<17, Int>(repeating: 0)
        var symbols = InlineArray<256, UInt8>(repeating: 0)
    }

    private let entries = UnsafeMutablePointer<UInt32>.allocate(capacity: 1 << indexBits)
    /// Not in the table itself, which is copied for every block.
    private let codes = UnsafeMutablePointer<Codes>.allocate(capacity: 1)

    init() {
        entries.initialize(repeating: 0, count: 1 << Self.indexBits)
        codes.initialize(to: Codes())
    }

    deinit {
        entries.deallocate()
        codes.deallocate()
    }

    /// Takes a DHT segment's table: for each length from 1 to 16 how many codes it has, and the
    /// symbols in the order of their codes. `false` for one that is against the rules.
    func load(
        isDC: Bool, counts: UnsafePointer<UInt8>, symbols: UnsafePointer<UInt8>
    ) -> Bool {
        codes.pointee.isDC = isDC
        for index in 0..<256 { codes.pointee.symbols[index] = symbols[index] }
        entries.update(repeating: 0, count: 1 << Self.indexBits)
        var (code, index) = (0, 0)
        for length in 1...16 {
            codes.pointee.offsets[length] = index - code
            guard index + Int(counts[length - 1]) <= 256 else { return false }
            for _ in 0..<counts[length - 1] {
                guard code < 1 << length, !isDC || symbols[index] < 16 else { return false }
                if length <= Self.indexBits { fill(code, length, symbols[index]) }
                code += 1
                index += 1
            }
            codes.pointee.ends[length] = UInt32(code << (16 - length))
            code <<= 1
        }
        return true
    }

    /// What the window's bits mean, of which as many as an index has must be valid. All zeros for a
    /// code that the table lacks. One that is not in the index fills the window.
    @inline(__always)
    func entry(_ window: inout BitWindow) -> Entry {
        let packed = entries[
            Int(truncatingIfNeeded: window.bits &>> UInt64(64 - Self.indexBits))]
        if packed != 0 { return Entry(packed: packed) }
        window.fill()
        return longEntry(window.bits)
    }

    @inline(never)
    private func longEntry(_ bits: UInt64) -> Entry {
        let code = UInt32(truncatingIfNeeded: bits &>> 48)
        guard let length = (1...16).first(where: { code < codes.pointee.ends[$0] }) else {
            return Entry(packed: 0)
        }
        let index = Int(code >> UInt32(16 - length)) + codes.pointee.offsets[length]
        let symbol = codes.pointee.symbols[index & 0xFF]
        let size = size(of: symbol)
        let own = Int(truncatingIfNeeded: (bits &<< UInt64(length)) &>> 1) >> (63 - size)
        return entry(symbol, length: length, own: own)
    }

    /// Fills in all indices that begin with a code.
    private func fill(_ code: Int, _ length: Int, _ symbol: UInt8) {
        let rest = Self.indexBits - length
        let first = code << rest
        let size = size(of: symbol)
        guard size <= rest else { return }
        let each = 1 << (rest - size)
        for own in 0..<1 << size {
            let packed = entry(symbol, length: length, own: own).packed
            for index in first + own * each..<first + (own + 1) * each { entries[index] = packed }
        }
    }

    /// How many bits of its own a symbol's coefficient has.
    private func size(of symbol: UInt8) -> Int { Int(codes.pointee.isDC ? symbol : symbol & 15) }

    /// A symbol's entry; `own` are the coefficient's bits (T.81, figure F.12).
    private func entry(_ symbol: UInt8, length: Int, own: Int) -> Entry {
        let size = size(of: symbol)
        if codes.pointee.isDC || size > 0 {
            let value = size > 0 && own < 1 << (size - 1) ? own + 1 - (1 << size) : own
            let zeros = codes.pointee.isDC ? 0 : Int(symbol >> 4)
            return Entry(length: length + size, advance: zeros + 1, value: value)
        }
        if symbol == 0xF0 { return Entry(length: length, advance: 16, value: 0) }
        return Entry(length: length, advance: 0, value: Int(symbol >> 4))
    }
}
