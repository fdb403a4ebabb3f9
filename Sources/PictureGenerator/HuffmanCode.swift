/// A Huffman code for a scan's symbols, as a DHT segment holds it.
struct HuffmanCode {
    /// For each length from 1 to 16 how many codes have it.
    private(set) var counts: [UInt8]
    /// In the order of their codes.
    private(set) var symbols: [UInt8]
    private var codes = [(bits: UInt64, length: Int)](repeating: (0, 0), count: 256)

    /// A code as a DHT segment gives it.
    init(counts: [UInt8], symbols: [UInt8]) {
        self.counts = counts
        self.symbols = symbols
        var (code, index) = (UInt64(0), 0)
        for length in 1...16 {
            for _ in 0..<counts[length - 1] {
                codes[Int(symbols[index])] = (code, length)
                code += 1
                index += 1
            }
            code <<= 1
        }
    }

    /// The best code of at most 16 bits for symbols that occur so often (T.81, K.2), none of which
    /// is all ones.
    init(frequencies: [Int]) {
        var lengths = Self.lengths(frequencies)
        // K.3: a pair of codes that is too long becomes one, and one that is shorter becomes two.
        for length in stride(from: lengths.count - 1, to: 16, by: -1) {
            while lengths[length] > 0 {
                var shorter = length - 2
                while lengths[shorter] == 0 { shorter -= 1 }
                lengths[length] -= 2
                lengths[length - 1] += 1
                lengths[shorter + 1] += 2
                lengths[shorter] -= 1
            }
        }
        // The code of all ones was made for a symbol that does not occur.
        if let longest = lengths.lastIndex(where: { $0 > 0 }) { lengths[longest] -= 1 }
        let used = (0..<256).filter { frequencies[$0] > 0 }
        let sorted = used.sorted { (frequencies[$1], $0) < (frequencies[$0], $1) }
        self.init(counts: (1...16).map { UInt8(lengths[$0]) }, symbols: sorted.map { UInt8($0) })
    }

    /// How many codes have which length, with one more for all ones.
    private static func lengths(_ frequencies: [Int]) -> [Int] {
        // Nodes of the tree: how often, and the symbols below.
        var nodes = frequencies.enumerated().filter { $0.element > 0 }
            .map { (count: $0.element, leaves: [$0.offset]) }
        nodes.append((count: 0, leaves: [256]))
        var depths = [Int](repeating: 0, count: 257)
        while nodes.count > 1 {
            nodes.sort { $0.count > $1.count }
            let (one, other) = (nodes.removeLast(), nodes.removeLast())
            let leaves = one.leaves + other.leaves
            for leaf in leaves { depths[leaf] += 1 }
            nodes.append((count: one.count + other.count, leaves: leaves))
        }
        var lengths = [Int](repeating: 0, count: 258)
        for depth in depths where depth > 0 { lengths[depth] += 1 }
        return lengths
    }

    /// A symbol's code; of length 0 where it has none.
    func code(of symbol: UInt8) -> (bits: UInt64, length: Int) { codes[Int(symbol)] }
}

extension HuffmanCode {
    /// The code for DC of T.81, table K.3.
    static let standardDC = HuffmanCode(
        counts: [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0], symbols: Array(0...11))

    /// The code for AC of T.81, table K.5.
    static let standardAC = HuffmanCode(
        counts: [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125],
        symbols: [
            0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51,
            0x61, 0x07, 0x22, 0x71, 0x14, 0x32, 0x81, 0x91, 0xA1, 0x08, 0x23, 0x42, 0xB1, 0xC1,
            0x15, 0x52, 0xD1, 0xF0, 0x24, 0x33, 0x62, 0x72, 0x82, 0x09, 0x0A,
        ]
            + (0x16...0x1A) + (0x25...0x2A) + (0x34...0x3A) + (0x43...0x4A) + (0x53...0x5A)
            + (0x63...0x6A) + (0x73...0x7A) + (0x83...0x8A) + (0x92...0x9A) + (0xA2...0xAA)
            + (0xB2...0xBA) + (0xC2...0xCA) + (0xD2...0xDA) + (0xE1...0xEA) + (0xF1...0xFA))
}
