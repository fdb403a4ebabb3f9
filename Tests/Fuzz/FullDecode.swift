/// The whole way of a picture, as the store's pixel threads go it: proven, tinted, and made into
/// thumbnails that must be pictures themselves.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFullDecode(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    withinBudget {
        // A worker of its own, so that an input's finding does not hang on the one before it.
        var worker = ImageWorker()
        do throws(ImageError) {
            let proof = try worker.verify(bytes, limits: limits)
            _ = try worker.tint(of: bytes, limits: limits)
            let made = try worker.thumbnails(of: bytes, as: variants, limits: limits)
            for thumbnail in made {
                let small = try worker.verify(thumbnail, limits: limits)
                precondition(small.width <= max(proof.width, proof.height))
            }
        } catch {
            // Wrong bytes are the file's fault; a codec that fails is ours.
            if case .codec(let message) = error { fatalError(message) }
        }
    }
    return 0
}

private let limits = ImageLimits()

/// Both encodings and both fits, so that every path of the renderer is met.
private let variants = ["60x90-cover-q82.jpeg", "40x-contain-q82.png"].compactMap {
    ThumbnailVariant($0)
}
