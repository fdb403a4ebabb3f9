import CJPEG

extension ScanReader {
    /// Reads the high bits of DC coefficients (T.81, G.1.2.1).
    mutating func readFirstDC(
        _ jpeg: j_decompress_ptr, _ blocks: UnsafeMutablePointer<JBLOCKROW?>
    ) -> Bool {
        forEachBlock(jpeg, blocks) { block, component, reader in
            reader.window.fill()
            let entry = reader.dcTables[reader.tables[component].dc].entry(&reader.window)
            guard entry.packed != 0 else { return false }
            reader.window.skip(entry.length)
            let sum = reader.lastDC[component] &+ entry.value
            guard (sum &<< reader.lowBit).magnitude <= Self.mostDC else { return false }
            reader.lastDC[component] = sum
            block[0] = JCOEF(truncatingIfNeeded: sum &<< reader.lowBit)
            return true
        }
    }

    /// Reads one bit more of DC coefficients.
    mutating func readFurtherDC(
        _ jpeg: j_decompress_ptr, _ blocks: UnsafeMutablePointer<JBLOCKROW?>
    ) -> Bool {
        forEachBlock(jpeg, blocks) { block, _, reader in
            reader.window.fill()
            block[0] |= JCOEF(truncatingIfNeeded: reader.window.take(1) &<< reader.lowBit)
            return true
        }
    }

    /// Reads the high bits of a block's coefficients in the band (T.81, G.1.2.2).
    mutating func readFirstAC(_ blocks: UnsafeMutablePointer<JBLOCKROW?>) -> Bool {
        defer { nextSeen += 1 }
        if emptyBlocks > 0 {
            emptyBlocks -= 1
            return true
        }
        guard let block = Self.coefficients(blocks) else { return false }
        var window = window
        defer { self.window = window }
        var seen = nextSeen.pointee
        defer { nextSeen.pointee = seen }
        var position = band.first &- 1
        while position < band.last {
            window.fill()
            let entry = acTables[tables[0].ac].entry(&window)
            guard entry.packed != 0 else { return false }
            window.skip(entry.length)
            guard entry.advance > 0 else {
                emptyBlocks = Self.emptyBlocks(entry, &window) &- 1
                return true
            }
            position &+= entry.advance
            guard position <= band.last else { return entry.value == 0 }
            let value = entry.value &<< lowBit
            // A mask that differs from what the block holds would be a lie.
            guard Int(JCOEF(truncatingIfNeeded: value)) == value else { return false }
            guard value != 0 else { continue }
            block[naturalOrder[position]] = JCOEF(truncatingIfNeeded: value)
            seen |= 1 &<< UInt64(position)
        }
        return true
    }

    /// Reads one bit more of the coefficients in the band that have come already, and those that
    /// come with it (T.81, G.1.2.3).
    mutating func readFurtherAC(_ blocks: UnsafeMutablePointer<JBLOCKROW?>) -> Bool {
        defer { nextSeen += 1 }
        guard let block = Self.coefficients(blocks) else { return false }
        let band = Self.positions(band.first, through: band.last)
        let known = nextSeen.pointee & band
        if emptyBlocks > 0, known == 0 {
            emptyBlocks -= 1
            return true
        }
        var window = window
        defer { self.window = window }
        var corrections = Corrections()
        // Those that are not read yet and not known.
        var zeros = band & ~known
        // The first coefficient that was not read yet.
        var position = self.band.first
        if emptyBlocks > 0 {
            window.fill()
        } else {
            let table = acTables + tables[0].ac
            while position <= self.band.last {
                window.fill()
                let entry = table.pointee.entry(&window)
                guard entry.packed != 0 else { return false }
                window.skip(entry.length)
                guard entry.advance > 0 else {
                    emptyBlocks = Self.emptyBlocks(entry, &window)
                    break
                }
                guard -1...1 ~= entry.value else { return false }
                zeros = Self.passing(entry.advance &- 1, zeros)
                let own = zeros.trailingZeroBitCount
                guard own < 64 else {
                    // Sixteen zeros may be more than are left, a coefficient may not.
                    guard entry.value == 0 else { return false }
                    break
                }
                // What was passed and is not a zero of the run is known.
                corrections.take(own &- position &- (entry.advance &- 1), &window)
                position = own &+ 1
                zeros &= zeros &- 1
                guard entry.value != 0 else { continue }
                block[naturalOrder[own]] = JCOEF(truncatingIfNeeded: entry.value &<< lowBit)
                nextSeen.pointee |= 1 &<< UInt64(own)
            }
        }
        if position <= self.band.last {
            // Here the window is as a fill leaves it, less a code of sixteen bits or the up to
            // fourteen of a run's length: enough for the first corrections.
            let rest = known & (UInt64.max &<< UInt64(position))
            corrections.take(rest.nonzeroBitCount, &window)
        }
        if emptyBlocks > 0 { emptyBlocks -= 1 }
        refine(block, known, corrections)
        return true
    }

    /// The set bits but the lowest `run`.
    @inline(__always)
    private static func passing(_ run: Int, _ bits: UInt64) -> UInt64 {
        // Most runs are this short. How short cannot be predicted, so all are prepared.
        let one = bits & (bits &- 1)
        let two = one & (one &- 1)
        let three = two & (two &- 1)
        var rest = run > 0 ? one : bits
        rest = run > 1 ? two : rest
        rest = run > 2 ? three : rest
        if run > 3 { for _ in 3..<run { rest &= rest &- 1 } }
        return rest
    }

    /// The bits that say which of a block's known coefficients grow. They come between the new
    /// coefficients, but are gathered and used at once: a loop for each few of them would end where
    /// no processor can predict it.
    private struct Corrections {
        /// The first one highest.
        private(set) var bits: UInt64 = 0
        private var count: UInt64 = 0

        /// Reads a bit for each of the next `known` coefficients. The first 24 of them must be in
        /// the window: a fill has 56 bits, and a code that it was read from takes 31 at most.
        @inline(__always)
        mutating func take(_ known: Int, _ window: inout BitWindow) {
            var more = UInt64(truncatingIfNeeded: known)
            if more > 24 {
                window.fill()
                if more > 32 {
                    append(window.take(32), 32)
                    more &-= 32
                    window.fill()
                }
            }
            append(window.take(more), more)
        }

        @inline(__always)
        private mutating func append(_ value: Int, _ length: UInt64) {
            count &+= length
            bits |= UInt64(truncatingIfNeeded: value) &<< (64 &- count)
        }
    }

    /// Leads those known coefficients away from zero whose bit is set.
    @inline(__always)
    private func refine(
        _ block: UnsafeMutablePointer<JCOEF>, _ known: UInt64, _ corrections: Corrections
    ) {
        var (left, bits) = (known, corrections.bits)
        let one = 1 &<< JCOEF(truncatingIfNeeded: lowBit)
        while left != 0 {
            let coefficient = block + naturalOrder[left.trailingZeroBitCount]
            let sign = coefficient.pointee &>> 15
            // All ones where the bit is set: no branch, because it cannot be predicted.
            let isSet = JCOEF(truncatingIfNeeded: Int64(bitPattern: bits) &>> 63)
            coefficient.pointee &+= ((one ^ sign) &- sign) & isSet
            left &= left &- 1
            bits = bits &<< 1
        }
    }

    /// How many blocks, this one among them, have nothing more in the band.
    private static func emptyBlocks(
        _ entry: HuffmanTable.Entry, _ window: inout BitWindow
    ) -> Int {
        window.fill()
        let size = entry.value
        return (1 &<< size) &+ window.take(UInt64(truncatingIfNeeded: size))
    }

    private static func coefficients(
        _ blocks: UnsafeMutablePointer<JBLOCKROW?>
    ) -> UnsafeMutablePointer<JCOEF>? {
        blocks[0].map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: JCOEF.self) }
    }

    static func positions(_ first: Int, through last: Int) -> UInt64 {
        (UInt64.max &>> UInt64(63 &- last)) & (UInt64.max &<< UInt64(first))
    }
}
