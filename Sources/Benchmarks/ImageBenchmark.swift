import CTurboJPEG
import Glibc
import PosterImages
import PosterKit

/// Measures whole thumbnails of JPEG files beside the floor: libjpeg-turbo's own decode to planes
/// at the same factor and its encode of the finished thumbnail's planes, and nothing else.
///
/// Prints one tab-separated line a size and step: CPU microseconds an image, the mean over the
/// files of each file's median; megapixels of the poster a second; and for the whole thumbnail its
/// ratio to the floor. What walking, resampling and copying add is the whole less the floor.
func measureImages(_ files: [String]) throws {
    let posters = files.compactMap(read)
    guard !posters.isEmpty else {
        print("usage: Benchmarks image FILE.jpg…")
        return
    }
    let metrics = ImageMetrics()
    let pool = PixelPool(threads: 1, metrics: metrics)
    defer { pool.stop() }
    print("size\tstep\tµs\tMpx/s\tof the floor")
    let sizes: [(Int, Int, Int32)] = [(60, 90, 4), (120, 180, 2), (185, 278, 1)]
    for (width, height, factor) in sizes {
        let variant = try ThumbnailVariant(width: width, height: height)
        var (sums, pixels) = ([0.0, 0, 0, 0], 0)
        for poster in posters {
            let floor = Floor(poster, factor: factor)
            let thumbnail = try pool.thumbnails(of: poster, as: [variant]).thumbnails[0]
            let planes = Floor(thumbnail, factor: 1)
            planes.decode()
            let times = try medianMicroseconds(
                rounds: 40,
                [
                    { _ = try pool.verify(poster) }, { floor.decode() },
                    { planes.encode(quality: variant.quality) },
                    { _ = try pool.thumbnails(of: poster, as: [variant]) },
                ])
            sums = zip(sums, times).map { $0 + $1 }
            pixels += floor.pixels
        }
        let floor = sums[1] + sums[2]
        let steps = [
            ("verify", sums[0]), ("floor decode", sums[1]), ("floor encode", sums[2]),
            ("walk, resample, copy", sums[3] - floor), ("thumbnail", sums[3]),
        ]
        for (step, sum) in steps {
            let time = Int((sum / Double(posters.count)).rounded())
            let rate = (Double(pixels) / sum * 10).rounded() / 10
            let ratio = step == "thumbnail" ? "\((sum / floor * 1000).rounded() / 1000)" : ""
            print("\(width)x\(height)\t\(step)\t\(time)\t\(rate)\t\(ratio)")
        }
    }
    let left = JPEGFallback.allCases.filter { metrics.jpegFallbacks[$0] > 0 }
        .map { ", \(metrics.jpegFallbacks[$0]) left to the library: \($0.rawValue)" }.joined()
    print("\n\(metrics.fastJPEGDecodes.value) decodes by the fast decoder\(left)\n")
    try measureProgressive(posters)
}

/// Decodes each file once and whole, to planes, with libjpeg-turbo and nothing else.
func decodeImages(_ files: [String]) {
    for file in files {
        if let bytes = read(file) { Floor(bytes, factor: 1).decode() }
    }
}

/// What libjpeg-turbo alone costs on one 4:2:0 or grey file.
final class Floor {
    private let bytes: [UInt8]
    private let decoder = tjInitDecompress()
    private let encoder = tjInitCompress()
    private var (width, height, sampling, colour) = (Int32(0), Int32(0), Int32(0), Int32(0))
    private var planes: [UnsafeMutablePointer<UInt8>?] = []
    private var pitches: [Int32] = []

    init(_ bytes: [UInt8], factor: Int32) {
        self.bytes = bytes
        tjDecompressHeader3(
            decoder, bytes, UInt(bytes.count), &width, &height, &sampling, &colour)
        (width, height) = ((width + factor - 1) / factor, (height + factor - 1) / factor)
        for plane in 0..<Int32(3) {
            let pitch = tjPlaneWidth(plane, width, sampling)
            pitches.append(pitch)
            planes.append(
                .allocate(capacity: Int(pitch * tjPlaneHeight(plane, height, sampling))))
        }
    }

    deinit {
        for plane in planes { plane?.deallocate() }
        tjDestroy(decoder)
        tjDestroy(encoder)
    }

    var pixels: Int {
        var (full, tall) = (Int32(0), Int32(0))
        tjDecompressHeader3(decoder, bytes, UInt(bytes.count), &full, &tall, &sampling, &colour)
        return Int(full) * Int(tall)
    }

    func decode() {
        tjDecompressToYUVPlanes(
            decoder, bytes, UInt(bytes.count), &planes, width, &pitches, height,
            TJFLAG_STOPONWARNING)
    }

    func encode(quality: Int) {
        var (output, size) = (UnsafeMutablePointer<UInt8>?.none, UInt(0))
        var sources = planes.map { $0.map { UnsafePointer($0) } }
        tjCompressFromYUVPlanes(
            encoder, &sources, width, &pitches, height, sampling, &output, &size, Int32(quality), 0)
        tjFree(output)
    }
}

func read(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "rb") else { return nil }
    defer { fclose(file) }
    var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
        bytes += buffer[..<count]
    }
    return bytes
}
