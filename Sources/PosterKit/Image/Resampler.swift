/// Makes smaller planes of larger ones with ``AxisFilter``s, which it keeps by geometry.
///
/// Rows are blended first, in 16-bit fixed point, because that is most of the work and eight
/// samples go into one SSE2 register; then eight blended rows at a time are narrowed, in floating
/// point, one row a lane, so that no lane waits for another. Plain pointer loops after one check
/// of the sizes: checked subscripts cost two to four times as much here.
struct Resampler: ~Copyable {
    private var filters: [AxisFilter.Key: AxisFilter] = [:]
    private var widened = Scratch<Int16>()
    private var blended = Scratch<Int16>()
    private var lanes = Scratch<Float>()

    /// Two blocks of four lanes: one weight, once loaded, serves both.
    private static let rowsAtOnce = 8
    /// Enough for the sizes that a front end asks for; a scan through many sizes starts anew.
    private static let keptFilters = 64

    init() {}

    /// Fills `target` with the part of `source` that `region`, in samples, spans.
    mutating func resample(
        _ source: SamplePlane, _ region: ThumbnailGeometry.Region, into target: SamplePlane
    ) {
        precondition(source.channels == target.channels && source.width > 0 && source.height > 0)
        let columns = filter(
            .init(
                source: source.width, start: region.x, extent: region.width, target: target.width))
        let rows = filter(
            .init(
                source: source.height, start: region.y, extent: region.height,
                target: target.height))
        let count = source.width * source.channels
        var window = RowWindow(
            source, rows: rows.taps, memory: widened.reserve(count * rows.taps))
        let blended = blended.reserve(count * Self.rowsAtOnce)
        // The columns' last taps may read past the end, with weight 0; what they read must be
        // a number.
        let block = (count + columns.taps * source.channels) * 4
        let lanes = lanes.reserve(block * 2)
        lanes.update(repeating: 0, count: block * 2)
        for y in stride(from: 0, to: target.height, by: Self.rowsAtOnce) {
            let height = min(Self.rowsAtOnce, target.height - y)
            for row in 0..<height {
                blend(&window, rows, y + row, into: blended + row * count, count)
            }
            interleave(blended, count, into: lanes)
            if height > 4 { interleave(blended + 4 * count, count, into: lanes + block) }
            narrow(
                lanes, block, columns, scale: 1 / Float(rows.unit / 512), channels: source.channels,
                rows: height, into: target.base + y * target.pitch, pitch: target.pitch)
        }
    }

    private mutating func filter(_ key: AxisFilter.Key) -> AxisFilter {
        if let filter = filters[key] { return filter }
        if filters.count >= Self.keptFilters { filters.removeAll(keepingCapacity: true) }
        let filter = AxisFilter(key)
        filters[key] = filter
        return filter
    }
}

/// The source rows that one output row needs, as 16-bit samples × 128. Rows are asked for in
/// rising order and each is widened once.
private struct RowWindow {
    private let source: SamplePlane
    private let count: Int
    private let rows: Int
    private let memory: UnsafeMutablePointer<Int16>
    private var next = 0

    init(_ source: SamplePlane, rows: Int, memory: UnsafeMutablePointer<Int16>) {
        self.source = source
        self.rows = rows
        self.memory = memory
        count = source.width * source.channels
    }

    /// Widens what is missing of the window's rows from `first` on.
    mutating func move(to first: Int) {
        next = max(next, first)
        while next < min(first + rows, source.height) {
            let from = source.base + next * source.pitch
            let to = memory + next % rows * count
            for x in 0..<count { to[x] = Int16(truncatingIfNeeded: from[x]) &<< 7 }
            next += 1
        }
    }

    /// A row of the window; past the picture's end, where weights are 0, any other.
    subscript(row: Int) -> UnsafePointer<Int16> {
        UnsafePointer(memory + min(row, source.height - 1) % rows * count)
    }
}

/// The weighted sum of source rows, × 1/512 of the filter's unit.
private func blend(
    _ window: inout RowWindow, _ filter: AxisFilter, _ y: Int,
    into out: UnsafeMutablePointer<Int16>, _ count: Int
) {
    let first = filter.first[y]
    window.move(to: first)
    filter.fixed.withUnsafeBufferPointer { all in
        guard let base = all.baseAddress else { return }
        let weights = base + y * filter.taps
        for tap in stride(from: 0, to: filter.taps, by: 4) {
            let (a, b) = (window[first + tap], window[first + tap + 1])
            let (c, d) = (window[first + tap + 2], window[first + tap + 3])
            let (wa, wb) = (weights[tap], weights[tap + 1])
            let (wc, wd) = (weights[tap + 2], weights[tap + 3])
            if tap == 0 {
                // A product that is not 0 loses half a unit on average; this gives it back.
                let lost = Int16(truncatingIfNeeded: filter.used[y] / 2)
                for x in 0..<count {
                    out[x] =
                        lost &+ high(a[x], wa) &+ high(b[x], wb) &+ high(c[x], wc)
                        &+ high(d[x], wd)
                }
            } else {
                for x in 0..<count {
                    out[x] =
                        out[x] &+ high(a[x], wa) &+ high(b[x], wb) &+ high(c[x], wc)
                        &+ high(d[x], wd)
                }
            }
        }
    }
}

/// The upper half of a product: one instruction (`pmulhw`) for eight samples.
@inline(__always)
private func high(_ sample: Int16, _ weight: Int16) -> Int16 {
    Int16(truncatingIfNeeded: (Int32(sample) &* Int32(weight)) &>> 16)
}

/// Lays four rows side by side: the four samples of a column become neighbours.
private func interleave(
    _ rows: UnsafePointer<Int16>, _ count: Int, into lanes: UnsafeMutablePointer<Float>
) {
    let (a, b, c, d) = (rows, rows + count, rows + 2 * count, rows + 3 * count)
    for x in 0..<count {
        lanes[4 * x] = Float(a[x])
        lanes[4 * x + 1] = Float(b[x])
        lanes[4 * x + 2] = Float(c[x])
        lanes[4 * x + 3] = Float(d[x])
    }
}

/// Narrows two blocks of four rows that lie side by side, and writes the first `rows` of them.
private func narrow(
    _ lanes: UnsafePointer<Float>, _ block: Int, _ filter: AxisFilter, scale: Float, channels: Int,
    rows: Int, into out: UnsafeMutablePointer<UInt8>, pitch: Int
) {
    let step = channels * 16
    let block = block * MemoryLayout<Float>.stride
    filter.weights.withUnsafeBufferPointer { all in
        guard var weights = all.baseAddress else { return }
        for (x, first) in filter.first.enumerated() {
            for channel in 0..<channels {
                var samples = UnsafeRawPointer(lanes + (first * channels + channel) * 4)
                var (above, below) = (SIMD4<Float>(), SIMD4<Float>())
                for tap in 0..<filter.taps {
                    let weight = SIMD4<Float>(repeating: weights[tap])
                    above += samples.loadUnaligned(as: SIMD4<Float>.self) * weight
                    below +=
                        samples.loadUnaligned(fromByteOffset: block, as: SIMD4<Float>.self) * weight
                    samples += step
                }
                let column = out + x * channels + channel
                store(above * scale, into: column, pitch, rows: min(rows, 4))
                if rows > 4 {
                    store(below * scale, into: column + 4 * pitch, pitch, rows: rows - 4)
                }
            }
            weights += filter.taps
        }
    }
}

/// Rounds to the nearest of 0…255, and writes one row's sample below the other.
///
/// Adding 1.5 × 2²³ leaves the integer in the low bits; `UInt8(value)` would check each value,
/// and `max` and `min` of floats mind what is no number: both cost several times as much.
@inline(__always)
private func store(
    _ values: SIMD4<Float>, into column: UnsafeMutablePointer<UInt8>, _ pitch: Int, rows: Int
) {
    let bits = unsafeBitCast(values + 12_582_912, to: SIMD4<Int32>.self) &- 0x4B40_0000
    func byte(_ lane: Int) -> UInt8 {
        let value = bits[lane]
        return UInt8(truncatingIfNeeded: value & ~255 == 0 ? value : ~value &>> 31)
    }
    column[0] = byte(0)
    if rows > 1 { column[pitch] = byte(1) }
    if rows > 2 { column[2 * pitch] = byte(2) }
    if rows > 3 { column[3 * pitch] = byte(3) }
}
