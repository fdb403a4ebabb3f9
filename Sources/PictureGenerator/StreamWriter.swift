/// A JPEG file of drawn coefficients, written without a library: any scan script, any code, any
/// restart interval from scan to scan.
struct StreamWriter {
    private(set) var bytes: [UInt8] = [0xFF, 0xD8]
    /// What was chosen, in a few words.
    private(set) var summary = ""

    init(
        _ shape: FrameShape, _ statistics: Coefficients.Statistics, mostScans: Int,
        using random: inout SplitMix64
    ) {
        let components = (0..<shape.componentCount).map {
            Coefficients(of: $0, in: shape, statistics, using: &random)
        }
        let isProgressive = random.chance(0.75)
        let script: ScanScript =
            isProgressive
            ? .progressive(
                components: components.count,
                mostLow: Int.random(in: 0...8, using: &random), mostScans: mostScans,
                using: &random)
            : .sequential(components: components.count, using: &random)
        let codes =
            isProgressive
            ? Codes.own : [.own, .standard, .leftOut].randomElement(using: &random) ?? .own
        let manner = ScanEncoder.Manner(using: &random)
        let isBaseline = !isProgressive && random.chance(0.7)
        let tables = components.map { _ in
            codes == .own
                ? (
                    dc: Int.random(in: 0..<(isBaseline ? 2 : 4), using: &random),
                    ac: 4 + Int.random(in: 0..<(isBaseline ? 2 : 4), using: &random)
                ) : (dc: 0, ac: 4)
        }
        add(0xE0, Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0])
        addQuantisation(isBaseline, &random)
        addFrame(shape, components, isProgressive ? 0xC2 : isBaseline ? 0xC0 : 0xC1)
        if codes == .standard {
            add(0xC4, Self.definition(.standardDC, 0))
            add(0xC4, Self.definition(.standardAC, 4))
        }
        let skew = random.chance(0.4) ? Int.random(in: 1...20, using: &random) : 0
        var interval = 0
        for scan in script.scans {
            if random.chance(0.3) {
                interval = random.chance(0.2) ? 0 : random.scaled(to: 2 * shape.mcus.columns + 2)
                add(0xDD, [UInt8(interval >> 8 & 255), UInt8(interval & 255)])
            }
            let encoder = ScanEncoder(
                scan, isProgressive: isProgressive, of: components, mcus: shape.mcus,
                tables: tables, interval: interval, manner)
            var used: [Int: HuffmanCode] = [0: .standardDC, 4: .standardAC]
            if codes == .own {
                used = encoder.tokens.frequencies.mapValues {
                    HuffmanCode(frequencies: Self.skewed($0, by: skew, &random))
                }
                for table in used.keys.sorted() {
                    if let code = used[table] { add(0xC4, Self.definition(code, table)) }
                }
            }
            addScanHeader(scan, tables)
            bytes += encoder.tokens.encoded(with: used)
        }
        bytes += [0xFF, 0xD9]
        summary =
            "\(isProgressive ? "progressive" : "sequential") \(script.scans.count) scans, "
            + "\(codes.rawValue) tables, runs of \(manner.longestRun)"
    }

    /// Where the Huffman tables come from.
    private enum Codes: String {
        case own, standard
        case leftOut = "left-out"
    }

    /// A symbol in use stays so; up to `by` times a factor of two makes lengths uneven.
    private static func skewed(
        _ frequencies: [Int], by most: Int, _ random: inout SplitMix64
    ) -> [Int] {
        guard most > 0 else { return frequencies }
        return frequencies.map { count in
            count == 0 ? 0 : count << Int.random(in: 0...most, using: &random)
        }
    }

    private mutating func add(_ marker: UInt8, _ payload: [UInt8]) {
        let length = payload.count + 2
        bytes += [0xFF, marker, UInt8(length >> 8), UInt8(length & 255)] + payload
    }

    /// Two tables: for luma and for chroma, or both alike; of 16 bits where that is allowed.
    private mutating func addQuantisation(_ isBaseline: Bool, _ random: inout SplitMix64) {
        let isWide = !isBaseline && random.chance(0.2)
        let most = random.scaled(to: isWide ? 2000 : 255)
        for table: UInt8 in 0..<2 {
            let steps = (0..<64).map { _ in Int.random(in: 1...most, using: &random) }
            add(
                0xDB,
                [isWide ? 0x10 | table : table]
                    + steps.flatMap { isWide ? [UInt8($0 >> 8), UInt8($0 & 255)] : [UInt8($0)] })
        }
    }

    private mutating func addFrame(
        _ shape: FrameShape, _ components: [Coefficients], _ marker: UInt8
    ) {
        var payload: [UInt8] = [
            8, UInt8(shape.height >> 8), UInt8(shape.height & 255), UInt8(shape.width >> 8),
            UInt8(shape.width & 255), UInt8(components.count),
        ]
        for (index, component) in components.enumerated() {
            payload += [
                UInt8(index + 1), UInt8(component.horizontal << 4 | component.vertical),
                index == 0 ? 0 : 1,
            ]
        }
        add(marker, payload)
    }

    private mutating func addScanHeader(
        _ scan: ScanScript.Scan, _ tables: [(dc: Int, ac: Int)]
    ) {
        var payload = [UInt8(scan.components.count)]
        for component in scan.components {
            let (dc, ac) = tables[component]
            payload += [UInt8(component + 1), UInt8(dc << 4 | (ac - 4))]
        }
        payload += [
            UInt8(scan.band.lowerBound), UInt8(scan.band.upperBound),
            UInt8(scan.high << 4 | scan.low),
        ]
        add(0xDA, payload)
    }

    private static func definition(_ code: HuffmanCode, _ table: Int) -> [UInt8] {
        [table < 4 ? UInt8(table) : 0x10 | UInt8(table - 4)] + code.counts + code.symbols
    }
}
