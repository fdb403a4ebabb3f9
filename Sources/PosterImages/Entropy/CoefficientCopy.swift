import CJPEG

extension JPEGRepairs {
    /// A picture with more samples takes too long to be coded once more. Only the fast decoder shows
    /// one with stray bytes.
    static let mostRecodedSamples = 16 << 20

    /// The same picture without bytes behind its entropy-coded data that belong to nothing; `nil`
    /// where anything else is wrong with it, and where it has over `mostSamples`.
    static func withoutStrayBytes(
        _ bytes: [UInt8], _ walk: JPEGWalk, mostSamples: Int
    ) -> [UInt8]? {
        guard walk.samples <= mostSamples else { return nil }
        let room = 2 * bytes.count + 1 << 16
        let recoded = [UInt8](unsafeUninitializedCapacity: room) { output, count in
            // libjpeg counts a stuffed byte as two, and those that it has read ahead later.
            count = onesheet_jpeg_recode(
                bytes, bytes.count, 3 * strayBytes, output.baseAddress, output.count)
        }
        return recoded.isEmpty ? nil : recoded
    }
}
