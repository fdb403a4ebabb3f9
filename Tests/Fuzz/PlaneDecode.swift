/// A JPEG decoded to planes in both ways: they must agree on whether it is whole, and on every
/// sample of one that is.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPlaneDecode(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    withinBudget {
        do throws(ImageError) {
            let walk = try JPEGWalk(bytes, limits: ImageLimits())
            let bytes = walk.repairs.applied(to: bytes)
            let side = min(walk.width, walk.height)
            for reduction in [8, 2] where side >= 2 * reduction {
                var fast = JPEGDecoder()
                var library = JPEGDecoder(isFast: false)
                let seen = samples(&fast, bytes, walk, reduction)
                guard seen == samples(&library, bytes, walk, reduction) else {
                    fatalError("the fast decoder sees another picture at 1/\(reduction)")
                }
            }
        } catch { return }
    }
    return 0
}

/// The rows of all planes; `nil` for a picture that is refused.
private func samples(
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
