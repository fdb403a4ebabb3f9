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

    /// A plane without padding between its rows.
    init(
        _ base: UnsafeMutablePointer<UInt8>, width: Int, height: Int, channels: Int = 1
    ) {
        self.base = base
        self.width = width
        self.height = height
        self.pitch = width * channels
        self.channels = channels
    }

    /// How many samples it takes in memory.
    var count: Int { pitch * height }
}
