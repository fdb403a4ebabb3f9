/// The JPEG marker walk alone: thousands of times faster than a decode, so it is tried as much
/// more often.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJPEGMarkers(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    withinBudget {
        guard ImageFormat(firstBytes: bytes) == .jpeg else { return }
        do throws(ImageError) {
            let (limits, walk) = (ImageLimits(), try JPEGWalk(bytes, limits: ImageLimits()))
            precondition(walk.width > 0 && walk.height > 0 && walk.scans > 0)
            precondition(walk.width * walk.height <= limits.pixels)
            precondition(walk.scans * walk.width * walk.height <= limits.scannedPixels)
            precondition([1, 2].contains(walk.leastReduction))
        } catch { precondition(!error.description.isEmpty) }
    }
    return 0
}
