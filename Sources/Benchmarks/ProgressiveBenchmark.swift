import CTurboJPEG
import PosterImages
import PosterKit

/// Measures posters saved progressive at several qualities, as the fast decoder and as libjpeg-turbo
/// alone decode them, and counts those that were left to the library, with the reasons.
///
/// Prints one tab-separated line a quality: CPU microseconds a poster, the mean over the posters of
/// each one's median, for its proof (a decode at 1/8) by the fast decoder and for the same decode by
/// the library; their ratio; how many of the posters were left to the library.
func measureProgressive(_ posters: [[UInt8]]) throws {
    print("quality\tprogressive, proven µs\tby the library alone µs\tratio\tleft to the library")
    for quality: Int32 in [60, 75, 85, 92, 95] {
        let metrics = ImageMetrics()
        let pool = PixelPool(threads: 1, metrics: metrics)
        defer { pool.stop() }
        var sums = [0.0, 0]
        for poster in posters {
            let file = progressive(poster, quality: quality)
            // Counted apart from the rounds.
            _ = try pool.verify(file)
            let quiet = PixelPool(threads: 1)
            defer { quiet.stop() }
            let floor = Floor(file, factor: 8)
            let times = try medianMicroseconds(
                rounds: 20, [{ _ = try quiet.verify(file) }, { floor.decode() }])
            sums = zip(sums, times).map { $0 + $1 }
        }
        let left = JPEGFallback.allCases.filter { metrics.jpegFallbacks[$0] > 0 }
            .map { "\(metrics.jpegFallbacks[$0]) \($0.rawValue)" }
        let (fast, library) = (
            Int(sums[0] / Double(posters.count)), Int(sums[1] / Double(posters.count))
        )
        print(
            "\(quality)\t\(fast)\t\(library)\t\((sums[0] / sums[1] * 100).rounded() / 100)\t"
                + (left.isEmpty ? "0 of \(posters.count)" : left.joined(separator: ", ")))
    }
}

/// A poster encoded again, progressive, 4:2:0.
private func progressive(_ poster: [UInt8], quality: Int32) -> [UInt8] {
    let (decoder, encoder) = (tjInitDecompress(), tjInitCompress())
    defer {
        tjDestroy(decoder)
        tjDestroy(encoder)
    }
    var (width, height, sampling, colour) = (Int32(0), Int32(0), Int32(0), Int32(0))
    tjDecompressHeader3(
        decoder, poster, UInt(poster.count), &width, &height, &sampling, &colour)
    let format = Int32(TJPF_RGB.rawValue)
    var pixels = [UInt8](repeating: 0, count: Int(width * height) * 3)
    tjDecompress2(
        decoder, poster, UInt(poster.count), &pixels, width, 0, height, format, TJFLAG_STOPONWARNING
    )
    var (output, size) = (UnsafeMutablePointer<UInt8>?.none, UInt(0))
    defer { tjFree(output) }
    tjCompress2(
        encoder, pixels, width, 0, height, format, &output, &size, Int32(TJSAMP_420.rawValue),
        quality, TJFLAG_PROGRESSIVE)
    return Array(UnsafeBufferPointer(start: output, count: Int(size)))
}
