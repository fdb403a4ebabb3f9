/// A JPEG decoded to planes in both ways: they must agree on whether it is whole, and on every
/// sample of one that is.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPlaneDecode(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    withinBudget {
        guard ImageFormat(firstBytes: bytes) == .jpeg else { return }
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
