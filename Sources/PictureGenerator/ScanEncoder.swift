/// Turns the coefficients of one scan into symbols, as ITU-T T.81 has it in annexes F and G; unlike
/// libjpeg it goes to the ends of what that allows: runs of 32,767 blocks, with any number of
/// correction bits behind them.
struct ScanEncoder {
    /// What a stream may be written in several ways.
    struct Manner {
        /// The most blocks of an end-of-band run.
        let longestRun: Int
        /// Whether sixteen zeros get their symbol even where nothing but zeros follows.
        let spellsZeros: Bool

        init(using random: inout SplitMix64) {
            longestRun = random.chance(0.7) ? 0x7FFF : random.scaled(to: 0x7FFF)
            spellsZeros = random.chance(0.15)
        }
    }

    private(set) var tokens = ScanTokens()
    private let scan: ScanScript.Scan
    private let manner: Manner
    /// The component's tables; AC tables are numbered from 4.
    private let tables: [(dc: Int, ac: Int)]
    private let isProgressive: Bool
    private var lastDC = [0, 0, 0]
    private var run = 0
    /// The correction bits of the run's blocks.
    private var runBits: [Bool] = []

    /// Encodes a scan whose intervals have `interval` MCUs; 0 for no restarts.
    init(
        _ scan: ScanScript.Scan, isProgressive: Bool, of components: [Coefficients],
        mcus: (columns: Int, rows: Int), tables: [(dc: Int, ac: Int)], interval: Int,
        _ manner: Manner
    ) {
        self.scan = scan
        self.manner = manner
        self.tables = tables
        self.isProgressive = isProgressive
        let alone = scan.components.count == 1 ? components[scan.components[0]] : nil
        let (columns, rows) = alone.map { ($0.columns, $0.rows) } ?? mcus
        for mcu in 0..<columns * rows {
            if interval > 0, mcu > 0, mcu % interval == 0 { restart() }
            let (column, row) = (mcu % columns, mcu / columns)
            if let alone {
                alone.withBlock(column: column, row: row) { encode($0, scan.components[0]) }
                continue
            }
            for index in scan.components {
                let component = components[index]
                for y in 0..<component.vertical {
                    for x in 0..<component.horizontal {
                        component.withBlock(
                            column: column * component.horizontal + x,
                            row: row * component.vertical + y
                        ) { encode($0, index) }
                    }
                }
            }
        }
        endRun()
    }

    private mutating func restart() {
        endRun()
        tokens.restart()
        lastDC = [0, 0, 0]
    }

    private mutating func encode(_ block: UnsafePointer<Int16>, _ component: Int) {
        let (dc, ac) = tables[component]
        if scan.band.lowerBound == 0 {
            // The shift of a negative number rounds down (T.81, G.1.2.1).
            let value = Int(block[0]) >> scan.low
            if scan.high > 0 {
                tokens.add(bits: [value & 1 == 1])
            } else {
                tokens.add(value: value - lastDC[component], table: dc)
                lastDC[component] = value
            }
            if isProgressive { return }
        }
        if scan.high == 0 {
            encodeFirst(block, ac)
        } else {
            encodeFurther(block, ac)
        }
    }

    /// A block's high bits (T.81, G.1.2.2), or all bits (F.1.2.2).
    private mutating func encodeFirst(_ block: UnsafePointer<Int16>, _ table: Int) {
        var zeros = 0
        for index in max(1, scan.band.lowerBound)...scan.band.upperBound {
            // The shift of a negative number rounds towards zero.
            let size = abs(Int(block[index])) >> scan.low
            if size == 0 {
                zeros += 1
                continue
            }
            endRun()
            addSixteens(&zeros, table)
            tokens.add(value: block[index] < 0 ? -size : size, zeros: zeros, table: table)
            zeros = 0
        }
        guard zeros > 0 else { return }
        if manner.spellsZeros, zeros >= 16 {
            endRun()
            while zeros >= 16 {
                tokens.add(0xF0, table: table)
                zeros -= 16
            }
            if zeros == 0 { return }
        }
        if isProgressive { addToRun([]) } else { tokens.add(0, table: table) }
    }

    private mutating func addSixteens(_ zeros: inout Int, _ table: Int) {
        while zeros > 15 {
            tokens.add(0xF0, table: table)
            zeros -= 16
        }
    }

    /// One bit more of a block's coefficients (T.81, G.1.2.3).
    private mutating func encodeFurther(_ block: UnsafePointer<Int16>, _ table: Int) {
        let low = scan.low
        let lastNew = scan.band.last { abs(Int(block[$0])) >> low == 1 } ?? -1
        var (zeros, corrections) = (0, [Bool]())
        for index in scan.band {
            let size = abs(Int(block[index])) >> low
            if size == 0 {
                zeros += 1
                continue
            }
            while zeros > 15, index <= lastNew || manner.spellsZeros {
                endRun()
                tokens.add(0xF0, table: table)
                tokens.add(bits: corrections)
                corrections = []
                zeros -= 16
            }
            if size > 1 {
                corrections.append(size & 1 == 1)
                continue
            }
            endRun()
            tokens.add(
                UInt8(zeros << 4 | 1), table: table, bits: block[index] < 0 ? 0 : 1, count: 1)
            tokens.add(bits: corrections)
            (zeros, corrections) = (0, [])
        }
        if zeros > 0 || !corrections.isEmpty { addToRun(corrections) }
    }

    private mutating func addToRun(_ corrections: [Bool]) {
        run += 1
        runBits += corrections
        if run == manner.longestRun { endRun() }
    }

    /// Writes a run of blocks with nothing new, and the correction bits of all of them.
    private mutating func endRun() {
        guard run > 0 else { return }
        let size = Int.bitWidth - 1 - run.leadingZeroBitCount
        tokens.add(UInt8(size << 4), table: tables[scan.components[0]].ac, bits: run, count: size)
        tokens.add(bits: runBits)
        (run, runBits) = (0, [])
    }
}
