import CJPEG

/// Reads the Huffman-coded scans of one picture after the other, in place of libjpeg-turbo's own
/// entropy decoder.
///
/// It reads what is in order and nothing else: at the first doubt it says so, and the picture is
/// decoded again by the library alone, which knows what to make of it and what it is called. It
/// follows ITU-T T.81, annexes F (sequential) and G (progressive); what libjpeg accepts beyond
/// that, such as a run over the end of a block, is a doubt.
///
/// Three things make it faster: a code and the bits behind it are looked up together; an interval
/// between restarts is freed of stuffed bytes at once, so that bits can be read eight bytes at a
/// time; and a mask tells which coefficients of a block a refining scan has to pass over, where
/// the library looks at each.
struct ScanReader: ~Copyable {
    /// How a scan's blocks are coded.
    enum Coding {
        case sequential, firstDC, furtherDC, firstAC, furtherAC
    }

    var coding = Coding.sequential
    /// First and last coefficient, in the order of the file (spectral selection).
    var band = (first: 0, last: 63)
    /// How many low bits are left to later scans (successive approximation).
    var lowBit = 0
    /// The bits that come next.
    var window: BitWindow
    /// The last DC coefficient of each component of the scan.
    var lastDC = InlineArray<4, Int>(repeating: 0)
    /// The largest DC coefficient that is read here: eight times what samples of 8 bits come to. With
    /// larger ones, which only damage makes, a picture that has stray bytes, too, cannot be coded once
    /// more: the difference of two need not have a code. Then the library decides.
    static let mostDC: UInt = 16_383
    /// How many blocks more have nothing new in this band.
    var emptyBlocks = 0
    /// The tables of each component of the scan.
    var tables = InlineArray<4, (dc: Int, ac: Int)>(repeating: (0, 0))
    let dcTables = UnsafeMutablePointer<HuffmanTable>.allocate(capacity: 4)
    let acTables = UnsafeMutablePointer<HuffmanTable>.allocate(capacity: 4)

    /// Where each coefficient of the file's zigzag lies in a block (T.81, figure A.6).
    let naturalOrder = UnsafeMutablePointer<Int>.allocate(capacity: 64)

    /// Which coefficients of each block have come already, the first one lowest; for one component
    /// behind the other.
    private var seen = Scratch<UInt64>()
    private var seenCount = 0
    /// The blocks of the scan's component in ``seen``, from its next MCU on.
    var nextSeen: UnsafeMutablePointer<UInt64>

    /// A bit for each component that has had a scan of whole blocks.
    private var whole = 0
    /// Bytes behind the data of intervals so far that belong to nothing.
    private(set) var strayBytes = 0

    /// The coefficients of each component that a first scan has had, the first one lowest.
    private var begun = InlineArray<4, UInt64>(repeating: 0)

    private var interval = Scratch<UInt8>()
    private var intervalStart: UnsafePointer<UInt8>
    private var intervalBits = 0
    private var restartInterval = 0
    private var restarts = 0
    private var untilRestart = 0
    private var untilEnd = 0
    /// Whether the scan is one that is read here, and in order so far.
    private var isSound = false
    /// Why the picture is not read here; `nil` where nothing is against that so far.
    private(set) var doubt: JPEGFallback?

    init() {
        for index in 0..<4 {
            (dcTables + index).initialize(to: HuffmanTable())
            (acTables + index).initialize(to: HuffmanTable())
        }
        naturalOrder.initialize(repeating: 0, count: 64)
        for (position, index) in Self.zigzag.enumerated() { naturalOrder[position] = index }
        nextSeen = seen.reserve(1)
        intervalStart = UnsafePointer(interval.reserve(BitWindow.overrun))
        window = BitWindow(intervalStart)
    }

    deinit {
        dcTables.deinitialize(count: 4)
        acTables.deinitialize(count: 4)
        dcTables.deallocate()
        acTables.deallocate()
        naturalOrder.deallocate()
    }

    /// Gives memory back that only a giant needed.
    mutating func trim(to limit: Int) {
        seen.trim(to: limit)
        interval.trim(to: limit)
    }

    /// Forgets the last picture.
    mutating func beginPicture() {
        isSound = false
        doubt = nil
        seenCount = 0
        whole = 0
        begun = .init(repeating: 0)
        strayBytes = 0
    }

    /// Gets ready for the scan whose header the library has just read and approved of.
    mutating func beginScan(_ jpeg: j_decompress_ptr) {
        isSound = false
        band = (Int(jpeg.pointee.Ss), Int(jpeg.pointee.Se))
        lowBit = Int(jpeg.pointee.Al)
        coding =
            if jpeg.pointee.progressive_mode == 0 {
                .sequential
            } else if band.first == 0 {
                jpeg.pointee.Ah == 0 ? .firstDC : .furtherDC
            } else {
                jpeg.pointee.Ah == 0 ? .firstAC : .furtherAC
            }
        guard jpeg.pointee.arith_code == 0 else { return doubt = .arithmetic }
        if let fault = loadTables(jpeg) { return doubt = fault }
        if jpeg.pointee.progressive_mode != 0 { findSeen(jpeg) }
        if coding == .firstAC, !beginBand(jpeg) { return doubt = .scan }
        restartInterval = Int(jpeg.pointee.restart_interval)
        untilEnd = Int(jpeg.pointee.MCUs_per_row) * Int(jpeg.pointee.MCU_rows_in_scan)
        restarts = 0
        isSound = beginInterval(jpeg)
        if !isSound { doubt = .marker }
    }

    /// Reads one MCU's blocks, which are zeros or what earlier scans left. `false` for a doubt.
    mutating func readMCU(
        _ jpeg: j_decompress_ptr, _ blocks: UnsafeMutablePointer<JBLOCKROW?>
    ) -> Bool {
        guard isSound else { return false }
        if untilRestart == 0 {
            guard endInterval() else { return leave(.data) }
            guard passRestart(jpeg), beginInterval(jpeg) else { return leave(.marker) }
        }
        let isRead =
            switch coding {
            case .sequential: readSequential(jpeg, blocks)
            case .firstDC: readFirstDC(jpeg, blocks)
            case .furtherDC: readFurtherDC(jpeg, blocks)
            case .firstAC: readFirstAC(blocks)
            case .furtherAC: readFurtherAC(blocks)
            }
        untilRestart -= 1
        untilEnd -= 1
        guard isRead, window.consumed(since: intervalStart) <= intervalBits else {
            return leave(.data)
        }
        if untilEnd > 0 { return true }
        isSound = false
        return endInterval() || leave(.data)
    }

    /// Leaves the picture to the library.
    private mutating func leave(_ reason: JPEGFallback) -> Bool {
        isSound = false
        doubt = reason
        return false
    }

    /// Loads the scan's Huffman tables; what keeps it from that, or `nil`.
    private mutating func loadTables(_ jpeg: j_decompress_ptr) -> JPEGFallback? {
        for index in 0..<Int(jpeg.pointee.comps_in_scan) {
            guard let component = onesheet_jpeg_component(jpeg, Int32(index)) else { return .scan }
            let (dc, ac) = (Int(component.pointee.dc_tbl_no), Int(component.pointee.ac_tbl_no))
            guard 0..<4 ~= dc, 0..<4 ~= ac else { return .table }
            tables[index] = (dc, ac)
            if coding == .sequential {
                // A second scan would be laid over the first one.
                let own = 1 &<< Int(component.pointee.component_index)
                guard whole & own == 0 else { return .scan }
                whole |= own
            }
            if coding == .sequential || coding == .firstDC {
                guard Self.load(jpeg, dc, isDC: true, into: dcTables[dc]) else { return .table }
            }
            if coding != .firstDC, coding != .furtherDC {
                guard Self.load(jpeg, ac, isDC: false, into: acTables[ac]) else { return .table }
            }
        }
        return nil
    }

    /// Finds the masks of the scan's component, and clears them all before the first scan.
    private mutating func findSeen(_ jpeg: j_decompress_ptr) {
        let components = UnsafeBufferPointer(
            start: jpeg.pointee.comp_info, count: Int(jpeg.pointee.num_components))
        let counts = components.map { Int($0.width_in_blocks) * Int($0.height_in_blocks) }
        if seenCount == 0 {
            seenCount = counts.reduce(0, +)
            seen.reserve(seenCount).update(repeating: 0, count: seenCount)
        }
        let own = onesheet_jpeg_component(jpeg, 0).map { Int($0.pointee.component_index) } ?? 0
        nextSeen = seen.reserve(seenCount) + counts[..<own].reduce(0, +)
    }

    /// Notes that the band of the scan's component comes for the first time. `false` where it comes
    /// again with fewer bits than before: the old low bits stay, and a refining scan has to look
    /// which of them are set already, as it has not in any other file.
    private mutating func beginBand(_ jpeg: j_decompress_ptr) -> Bool {
        guard let component = onesheet_jpeg_component(jpeg, 0),
            0..<4 ~= component.pointee.component_index
        else { return false }
        let own = Int(component.pointee.component_index)
        let coefficients = Self.positions(band.first, through: band.last)
        guard lowBit == 0 || begun[own] & coefficients == 0 else { return false }
        begun[own] |= coefficients
        return true
    }

    /// Copies the entropy-coded data up to the next marker, without stuffed bytes (T.81, F.1.2.3),
    /// and leaves the library at that marker.
    private mutating func beginInterval(_ jpeg: j_decompress_ptr) -> Bool {
        guard let source = jpeg.pointee.src, let first = source.pointee.next_input_byte else {
            return false
        }
        var left = source.pointee.bytes_in_buffer
        var from = first
        let start = interval.reserve(left + BitWindow.overrun)
        var to = start
        while true {
            guard left > 1, let found = memchr(from, 0xFF, left - 1) else { return false }
            let count = UnsafePointer(found.assumingMemoryBound(to: UInt8.self)) - from
            to.update(from: from, count: count)
            to += count
            from += count
            left -= count
            guard from[1] == 0 else { break }
            to.pointee = 0xFF
            to += 1
            from += 2
            left -= 2
        }
        // Fill bytes before a marker are in order, and rare.
        guard from[1] != 0xFF else { return false }
        source.pointee.next_input_byte = from
        source.pointee.bytes_in_buffer = left
        intervalStart = UnsafePointer(start)
        intervalBits = (to - start) * 8
        window = BitWindow(intervalStart)
        untilRestart = restartInterval > 0 ? restartInterval : Int.max
        lastDC = .init(repeating: 0)
        emptyBlocks = 0
        return true
    }

    /// Whether an interval's data were as many as its MCUs took, but for the bits that fill its
    /// last byte, and a few bytes that belong to nothing.
    private mutating func endInterval() -> Bool {
        let left = intervalBits - window.consumed(since: intervalStart)
        guard left >= 0 else { return false }
        strayBytes += left / 8
        return strayBytes <= JPEGRepairs.strayBytes
    }

    /// Passes over the restart marker that the library stands at; they count from 0 to 7.
    private mutating func passRestart(_ jpeg: j_decompress_ptr) -> Bool {
        guard let source = jpeg.pointee.src, let marker = source.pointee.next_input_byte,
            source.pointee.bytes_in_buffer > 2, marker[1] == 0xD0 + UInt8(restarts & 7)
        else { return false }
        restarts += 1
        source.pointee.next_input_byte = marker + 2
        source.pointee.bytes_in_buffer -= 2
        return true
    }

    private static let zigzag = [
        0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5,
        12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
        35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
        58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
    ]

    private static func load(
        _ jpeg: j_decompress_ptr, _ index: Int, isDC: Bool, into lookup: borrowing HuffmanTable
    ) -> Bool {
        guard let table = onesheet_jpeg_table(jpeg, isDC ? 1 : 0, Int32(index)) else {
            return false
        }
        return lookup.load(
            isDC: isDC, counts: onesheet_jpeg_counts(table), symbols: onesheet_jpeg_symbols(table))
    }
}
