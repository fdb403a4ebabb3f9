/// Makes smaller planes of larger ones with ``AxisFilter``s, which it keeps by geometry.
///
/// The columns of one output row are made first, in floating point, then the row is narrowed: the
/// only memory between is one row. Plain pointer loops after one check of the sizes, because
/// checked subscripts cost two to four times as much here.
struct Resampler: ~Copyable {
    private var filters: [AxisFilter.Key: AxisFilter] = [:]
    private var row = Scratch<Float>()

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
        let samples = source.width * source.channels
        // The columns' last taps may read past the end, with weight 0; what they read must be 0.
        let row = row.reserve(samples + columns.taps * source.channels)
        (row + samples).update(repeating: 0, count: columns.taps * source.channels)
        for y in 0..<target.height {
            blend(source, from: rows.first[y], y, rows, into: row)
            let out = target.base + y * target.pitch
            if source.channels == 1 {
                narrow(row, columns, into: out)
            } else {
                narrow(row, columns, channels: source.channels, into: out)
            }
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

/// The weighted sum of source rows, four at a time.
private func blend(
    _ source: SamplePlane, from first: Int, _ y: Int, _ filter: AxisFilter,
    into row: UnsafeMutablePointer<Float>
) {
    let count = source.width * source.channels
    filter.weights.withUnsafeBufferPointer { all in
        guard let base = all.baseAddress else { return }
        let weights = base + y * filter.taps
        for tap in stride(from: 0, to: filter.taps, by: 4) {
            func line(_ offset: Int) -> UnsafePointer<UInt8> {
                let index = min(first + tap + offset, source.height - 1)
                return UnsafePointer(source.base + index * source.pitch)
            }
            let (a, b, c, d) = (line(0), line(1), line(2), line(3))
            let (wa, wb, wc, wd) = (
                weights[tap], weights[tap + 1], weights[tap + 2], weights[tap + 3]
            )
            if tap == 0 {
                for x in 0..<count {
                    row[x] =
                        wa * Float(a[x]) + wb * Float(b[x]) + wc * Float(c[x]) + wd * Float(d[x])
                }
            } else {
                for x in 0..<count {
                    row[x] +=
                        wa * Float(a[x]) + wb * Float(b[x]) + wc * Float(c[x]) + wd * Float(d[x])
                }
            }
        }
    }
}

/// Narrows a row of one channel.
private func narrow(
    _ row: UnsafeMutablePointer<Float>, _ filter: AxisFilter,
    into out: UnsafeMutablePointer<UInt8>
) {
    filter.weights.withUnsafeBytes { weights in
        guard var weight = weights.baseAddress else { return }
        for (x, first) in filter.first.enumerated() {
            var sum = SIMD4<Float>()
            let samples = UnsafeRawPointer(row + first)
            for tap in stride(from: 0, to: filter.taps * 4, by: 16) {
                sum +=
                    samples.loadUnaligned(fromByteOffset: tap, as: SIMD4<Float>.self)
                    * weight.loadUnaligned(fromByteOffset: tap, as: SIMD4<Float>.self)
            }
            weight += filter.taps * 4
            out[x] = byte((sum[0] + sum[1]) + (sum[2] + sum[3]))
        }
    }
}

/// Narrows a row of interleaved channels.
private func narrow(
    _ row: UnsafeMutablePointer<Float>, _ filter: AxisFilter, channels: Int,
    into out: UnsafeMutablePointer<UInt8>
) {
    filter.weights.withUnsafeBufferPointer { weights in
        guard var weight = weights.baseAddress else { return }
        for (x, first) in filter.first.enumerated() {
            for channel in 0..<channels {
                var sum: Float = 0
                let samples = row + first * channels + channel
                for tap in 0..<filter.taps { sum += weight[tap] * samples[tap * channels] }
                out[x * channels + channel] = byte(sum)
            }
            weight += filter.taps
        }
    }
}

/// Rounds to the nearest of 0…255. Adding 2²³ leaves the integer in the low bits; `UInt8(value)`
/// would check for what the clamp has ruled out, at three times the cost.
@inline(__always)
private func byte(_ value: Float) -> UInt8 {
    UInt8(truncatingIfNeeded: (max(0, min(255, value)) + 8_388_608).bitPattern)
}
