/// The PNG chunk walk alone, with checksums mended after each mutation: a mutator hardly ever
/// guesses one, and would see nothing behind the first.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPNGChunks(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    withinBudget {
        guard ImageFormat(firstBytes: bytes) == .png else { return }
        do throws(ImageError) {
            let (limits, walk) = (ImageLimits(), try PNGWalk(bytes, limits: ImageLimits()))
            precondition(walk.width > 0 && walk.height > 0)
            precondition(walk.width * walk.height <= limits.pixels)
            // What the decoder gets is never much more than what came, and walks as the same
            // picture.
            precondition(walk.pixelStream.count <= max(bytes.count, 5 << 20))
            let again = try PNGWalk(walk.pixelStream, limits: limits)
            precondition(again.pixelStream == walk.pixelStream)
        } catch { precondition(!error.description.isEmpty) }
    }
    return 0
}
