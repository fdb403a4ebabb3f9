import CJPEG

extension JPEGRepairs {
    /// The same picture without bytes behind its entropy-coded data that belong to nothing; `nil`
    /// where anything else is wrong with it, and for a giant, which takes too long.
    static func withoutStrayBytes(_ bytes: [UInt8], _ walk: JPEGWalk) -> [UInt8]? {
        guard walk.samples <= 16 << 20 else { return nil }
        let room = 2 * bytes.count + 1 << 16
        let recoded = [UInt8](unsafeUninitializedCapacity: room) { output, count in
            // libjpeg counts a stuffed byte as two, and those that it has read ahead later.
            count = onesheet_jpeg_recode(
                bytes, bytes.count, 3 * strayBytes, output.baseAddress, output.count)
        }
        return recoded.isEmpty ? nil : recoded
    }
}
