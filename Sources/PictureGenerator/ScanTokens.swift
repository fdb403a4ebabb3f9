/// A scan's symbols and their further bits, before their codes are chosen.
struct ScanTokens {
    /// One symbol with the bits behind it, bits alone, or a restart.
    enum Token {
        case symbol(table: Int, UInt8, bits: UInt32, count: UInt8)
        case bits(UInt32, count: UInt8)
        case restart
    }

    private(set) var tokens: [Token] = []
    /// How often each symbol of each table occurs.
    private(set) var frequencies: [Int: [Int]] = [:]

    /// Adds a symbol of a table, and the lowest `count` bits of `bits`.
    mutating func add(_ symbol: UInt8, table: Int, bits: Int = 0, count: Int = 0) {
        frequencies[table, default: Array(repeating: 0, count: 256)][Int(symbol)] += 1
        tokens.append(
            .symbol(
                table: table, symbol, bits: UInt32(truncatingIfNeeded: bits), count: UInt8(count)))
    }

    /// Adds a coefficient or a difference: its size and zeros before it as a symbol, and the bits
    /// that tell it from others of its size (T.81, F.1.2.1).
    mutating func add(value: Int, zeros: Int = 0, table: Int) {
        let size = Int.bitWidth - abs(value).leadingZeroBitCount
        add(
            UInt8(zeros << 4 | size), table: table,
            bits: value < 0 ? value - 1 : value, count: size)
    }

    /// Adds bits without a code.
    mutating func add(bits: some Sequence<Bool>) {
        for bit in bits { tokens.append(.bits(bit ? 1 : 0, count: 1)) }
    }

    /// Ends an interval.
    mutating func restart() { tokens.append(.restart) }

    /// The entropy-coded data, in a code for each table.
    func encoded(with codes: [Int: HuffmanCode]) -> [UInt8] {
        var (writer, restarts) = (BitWriter(), 0)
        for token in tokens {
            switch token {
            case .symbol(let table, let symbol, let bits, let count):
                guard let code = codes[table]?.code(of: symbol), code.length > 0 else {
                    fatalError("no code for symbol \(symbol) in table \(table)")
                }
                writer.write(code.bits, code.length)
                writer.write(UInt64(bits), Int(count))
            case .bits(let bits, let count): writer.write(UInt64(bits), Int(count))
            case .restart:
                writer.restart(restarts)
                restarts += 1
            }
        }
        writer.align()
        return writer.bytes
    }
}
