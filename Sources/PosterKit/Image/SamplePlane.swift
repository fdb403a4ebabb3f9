/// 8-bit samples that lie in memory which somebody else owns: one plane of a picture, or all of
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

    /// How many samples its rows take in memory.
    var count: Int { pitch * height }

    /// Repeats the last column up to the pitch, and the last row `rows` times below the plane,
    /// where there must be room. One channel.
    func extendEdges(rows: Int) {
        for y in 0..<height {
            let row = base + y * pitch
            for x in width..<pitch { row[x] = row[width - 1] }
        }
        let last = base + (height - 1) * pitch
        for row in 0..<rows { (last + (row + 1) * pitch).update(from: last, count: pitch) }
    }
}
