import CJPEG

extension ScanReader {
    /// Reads whole blocks (T.81, F.2.2).
    mutating func readSequential(
        _ jpeg: j_decompress_ptr, _ blocks: UnsafeMutablePointer<JBLOCKROW?>
    ) -> Bool {
        var window = window
        defer { self.window = window }
        return forEachBlock(jpeg, blocks) { block, component, reader in
            window.fill()
            let first = reader.dcTables[reader.tables[component].dc].entry(&window)
            guard first.packed != 0 else { return false }
            window.skip(first.length)
            let sum = reader.lastDC[component] &+ first.value
            guard sum.magnitude <= Self.mostDC else { return false }
            reader.lastDC[component] = sum
            block[0] = JCOEF(truncatingIfNeeded: sum)
            return reader.readAC(&window, reader.tables[component].ac, block)
        }
    }

    /// Reads a block's coefficients but the first.
    @inline(__always)
    private func readAC(
        _ window: inout BitWindow, _ table: Int, _ block: UnsafeMutablePointer<JCOEF>
    ) -> Bool {
        var position = 0
        while position < 63 {
            window.fill()
            // A fill has 56 bits, an entry of the index at most 11. A longer one, of at most 31,
            // fills first, so that at least the 11 bits of an index are left for the next one.
            for _ in 0..<3 {
                let entry = acTables[table].entry(&window)
                window.skip(entry.length)
                guard entry.advance > 0 else { return entry.packed != 0 }
                position &+= entry.advance
                guard position < 64 else { return false }
                block[naturalOrder[position]] = JCOEF(truncatingIfNeeded: entry.value)
                if position == 63 { return true }
            }
        }
        return true
    }

    /// Calls `body` with each block of an MCU and the index of its component in the scan, until it
    /// returns `false`.
    @inline(__always)
    mutating func forEachBlock(
        _ jpeg: j_decompress_ptr, _ blocks: UnsafeMutablePointer<JBLOCKROW?>,
        _ body: (UnsafeMutablePointer<JCOEF>, Int, inout ScanReader) -> Bool
    ) -> Bool {
        guard let components = onesheet_jpeg_membership(jpeg) else { return false }
        for index in 0..<Int(jpeg.pointee.blocks_in_MCU) {
            guard let block = blocks[index] else { return false }
            let coefficients = UnsafeMutableRawPointer(block).assumingMemoryBound(to: JCOEF.self)
            guard body(coefficients, Int(components[index]), &self) else { return false }
        }
        return true
    }
}
