extension ImageWorker {
    /// Bytes that a placeholder of the default size should not need more of.
    private static let roomyBytes = 12_000
    /// Pixels of the default size, w342.
    private static let usualPixels = 342 * 513
    /// Below this, letters get dirty edges that anybody sees.
    private static let leastQuality = 30

    /// Draws and encodes a placeholder.
    ///
    /// The edges of letters are what costs bytes in a JPEG, so one with many letters is encoded
    /// again at a lower quality, as often as it takes: it stands in for a picture of the same size and
    /// should not weigh half of it.
    mutating func placeholder(_ request: PlaceholderRequest) throws(ImageError) -> [UInt8] {
        let began = ContinuousClock.now
        defer { note(.placeholder, since: began) }
        let pixels = try PlaceholderArtist().draw(request)
        let area = request.width * request.height
        let room = max(Self.roomyBytes, Self.roomyBytes * area / Self.usualPixels)
        var quality = request.quality
        while true {
            let bytes = try encode(pixels, format: request.format, quality: quality)
            // Far too many bytes, a far lower quality: each try costs half a millisecond.
            let lower = max(
                Self.leastQuality, min(quality * 7 / 10, quality * room / max(bytes.count, 1)))
            guard request.format != .png, bytes.count > room, lower < quality else {
                return bytes
            }
            quality = lower
        }
    }
}
