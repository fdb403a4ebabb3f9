/// Values at and beyond the limits of every number type, for parsers: each of them must be read or
/// refused, and none may end the process (Swift traps on overflow).
package enum Extremes {
    /// Whole numbers of 64 bits around every limit, and around what overflows when it is multiplied
    /// by a usual unit.
    package static let integers: [Int64] = {
        var numbers: Set<Int64> = [0, 1, -1, .min, .max, .min + 1, .max - 1]
        let limits: [Int64] = [7, 8, 15, 16, 31, 32, 53, 62].map { 1 << $0 } + [.max]
        let units: [Int64] = [
            1, 60, 512, 1000, 1024, 3600, 86_400, 604_800, 1_000_000, 1 << 20, 1 << 30, 1 << 40,
            1_000_000_000,
        ]
        for limit in limits {
            for unit in units {
                for near in -1...1 as ClosedRange<Int64> {
                    let number = (limit / unit).addingReportingOverflow(near)
                    guard !number.overflow else { continue }
                    numbers.formUnion([number.partialValue, -number.partialValue])
                }
            }
        }
        // A moment whose second begins before the range of nanoseconds does.
        numbers.formUnion((-2...2).map { -9_223_372_036_000_000_000 + $0 })
        return numbers.sorted()
    }()

    /// Numbers with a point, those that are none among them.
    package static let decimals: [Double] =
        [
            0, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity, .nan, 0.5, 0x1p31,
            0x1p32, 0x1p53, 0x1p62, 0x1p63, 0x1p64, 1e18, 1e19, 1e300,
        ].flatMap { [$0, -$0] }

    /// Numbers as they may be written, and what looks like one.
    package static let texts: [String] =
        integers.map { String($0) } + integers.map { "+\($0)" }
        + [64, 65, 127].flatMap { power in
            [(UInt128(1) << power) - 1, UInt128(1) << power, (UInt128(1) << power) + 1]
                .flatMap { [String($0), "-\($0)"] }
        }
        + [17, 18, 19, 20, 40, 400, 5000].flatMap { count in
            [
                String(repeating: "9", count: count), String(repeating: "0", count: count) + "1",
                "-" + String(repeating: "9", count: count),
                "0." + String(repeating: "9", count: count),
            ]
        }
        + decimals.map { "\($0)" }
        + [
            "", " ", "-", "+", "--1", "1 ", " 1", "\t1", "1.", ".5", "1.5", "1,5", "1e3", "1E400",
            "-1e400", "1e-400", "0x10", "0x7fffffffffffffff", "1_000", "NaN", "inf", "-Infinity",
            "\u{0}", "1\u{0}", "\u{0}1", "٣", "３", "𝟗𝟗", "½", "²", "1\u{301}", "é", "１２３", "\u{7F}",
            "\r\n1", "9\u{200B}9", "null", "true", "1/0", "%31",
        ]

    /// A template with one text after the other in the place of each `#`.
    package static func filled(_ template: String) -> [String] {
        let pieces = template.split(separator: "#", omittingEmptySubsequences: false)
        var filled = texts.map { pieces.joined(separator: $0) }
        guard pieces.count > 2 else { return filled }
        // Several at once may meet in a sum or a product that one alone does not reach.
        for place in 1..<pieces.count {
            for text in texts {
                var parts = [String(pieces[0])]
                for index in 1..<pieces.count {
                    parts += [index == place ? text : "1", String(pieces[index])]
                }
                filled.append(parts.joined())
            }
        }
        return filled
    }
}
