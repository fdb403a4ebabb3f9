package import PosterImages

extension ImageWorker {
    /// Bytes that a placeholder of the default size should not need more of.
    private static let roomyBytes = 12_000
    /// Pixels of the default size, w342.
    private static let usualPixels = 342 * 513
    /// Below this, letters get edges that are visibly dirty.
    private static let leastQuality = 30

    /// Draws and encodes a placeholder, in the size of ``PlaceholderRequest/drawn``.
    ///
    /// The edges of letters are what costs bytes in a JPEG, so one with many letters is encoded
    /// again at a lower quality, and at the least one where that is too much still: it stands in for
    /// a picture of the same size and should not weigh half of it. A larger one than usual has bytes
    /// to spare, and would take milliseconds more.
    package mutating func placeholder(_ request: PlaceholderRequest) throws(ImageError) -> [UInt8] {
        let began = ContinuousClock.now
        defer { note(.placeholder, since: began) }
        let request = request.drawn
        let pixels = try PlaceholderArtist().draw(request, on: takeCanvas())
        defer { canvas = pixels.samples }
        let quality = min(request.quality, ThumbnailVariant.defaultQuality)
        let bytes = try encode(pixels, format: request.format, quality: quality)
        guard request.format != .png, request.width * request.height <= Self.usualPixels,
            bytes.count > Self.roomyBytes, quality > Self.leastQuality
        else { return bytes }
        // Far too many bytes, a far lower quality.
        let lower = max(
            Self.leastQuality, min(quality * 7 / 10, quality * Self.roomyBytes / bytes.count))
        let fewer = try encode(
            pixels, format: request.format, quality: lower, isThorough: true)
        guard fewer.count > Self.roomyBytes, lower > Self.leastQuality else { return fewer }
        return try encode(
            pixels, format: request.format, quality: Self.leastQuality, isThorough: true)
    }

    private mutating func takeCanvas() -> [UInt8] {
        defer { canvas = [] }
        return canvas
    }
}
