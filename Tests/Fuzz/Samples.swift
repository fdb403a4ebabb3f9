/// The rows of all planes; `nil` for a picture that is refused.
func samples(
    _ decoder: inout JPEGDecoder, _ bytes: [UInt8], _ walk: JPEGWalk, _ reduction: Int
) -> [UInt8]? {
    do throws(ImageError) {
        return try decoder.decode(bytes, walk, reduction: reduction).planes.flatMap { plane in
            let (samples, count) = (plane.samples, plane.samples.width * plane.samples.channels)
            return (0..<samples.height).flatMap {
                UnsafeBufferPointer(start: samples.base + $0 * samples.pitch, count: count)
            }
        }
    } catch { return nil }
}
