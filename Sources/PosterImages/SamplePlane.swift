/// 8-bit samples in memory that is owned elsewhere: one plane of a picture, or all of
/// it with its channels interleaved.
struct SamplePlane {
    /// The first sample of the first row.
    let base: UnsafeMutablePointer<UInt8>
    /// Columns.
    let width: Int
    /// Rows.
    let height: Int
    /// Samples from one row to the next.
    let pitch: Int
    /// Interleaved samples a column.
    let channels: Int

    /// A plane with `pitch` samples from row to row; by default without padding between rows.
    init(
        _ base: UnsafeMutablePointer<UInt8>, width: Int, height: Int, channels: Int = 1,
        pitch: Int? = nil
    ) {
        self.base = base
        self.width = width
        self.height = height
        self.pitch = pitch ?? width * channels
        self.channels = channels
    }

    /// One channel whose rows begin on multiples of ``sampleAlignment``, as `base` must.
    init(aligned base: UnsafeMutablePointer<UInt8>, width: Int, height: Int) {
        self.init(base, width: width, height: height, pitch: width.aligned)
    }

    /// How many samples its rows take in memory.
    var count: Int { pitch * height }

    /// Whether it is what ``init(aligned:width:height:)`` makes.
    var isAligned: Bool {
        channels == 1 && pitch % sampleAlignment == 0
            && UInt(bitPattern: base) % UInt(sampleAlignment) == 0
    }

    /// Cuts what is darker or brighter than anything in `source`, of which it was resampled: beside
    /// a hard edge Lanczos-3 swings beyond both sides by up to a twelfth of its height.
    func limit(to source: SamplePlane) {
        let swing = range(of: 0..<height)
        // Most pictures have samples as dark and as bright early on.
        var found: ClosedRange<UInt8>?
        for start in stride(from: 0, to: source.height, by: 32) {
            let rows = source.range(of: start..<min(start + 32, source.height))
            let (low, high) = (found?.lowerBound ?? 255, found?.upperBound ?? 0)
            let all = min(low, rows.lowerBound)...max(high, rows.upperBound)
            if all.lowerBound <= swing.lowerBound, all.upperBound >= swing.upperBound { return }
            found = all
        }
        guard let found else { return }
        for y in 0..<height {
            let row = base + y * pitch
            for x in 0..<width { row[x] = min(max(row[x], found.lowerBound), found.upperBound) }
        }
    }

    /// The least and the greatest sample of some rows, which are of one channel.
    private func range(of rows: Range<Int>) -> ClosedRange<UInt8> {
        var (low, high) = (UInt8.max, UInt8.min)
        for y in rows {
            let row = base + y * pitch
            for x in 0..<width {
                low = min(low, row[x])
                high = max(high, row[x])
            }
        }
        return min(low, high)...high
    }

    /// Repeats the last column and row once, beyond the plane, where its memory must go on.
    func extendEdges() {
        for y in 0..<height { base[y * pitch + width] = base[y * pitch + width - 1] }
        let last = base + (height - 1) * pitch
        (last + pitch).update(from: last, count: width + 1)
    }
}

extension [SamplePlane] {
    /// Whether they are luma alone, or luma and two chroma planes of half its sides, rounded up.
    var areLumaAndHalvedChroma: Bool {
        count == 1
            || count == 3
                && dropFirst().allSatisfy {
                    $0.width == self[0].width.over(2) && $0.height == self[0].height.over(2)
                }
    }
}
