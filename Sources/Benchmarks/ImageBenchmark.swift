import CTurboJPEG
import Glibc
import PosterKit

/// Measures whole thumbnails of JPEG files beside the floor: libjpeg-turbo's own decode to planes
/// at the same factor and its encode of the finished thumbnail's planes, and nothing else.
///
/// Prints one tab-separated line a size: CPU microseconds an image, the mean over the files of
/// each file's median.
func measureImages(_ files: [String]) throws {
    let posters = files.compactMap(read)
    guard !posters.isEmpty else {
        print("usage: Benchmarks image FILE.jpg…")
        return
    }
    let pool = PixelPool(threads: 1)
    defer { pool.stop() }
    print("size\tverify\tfloor decode\tfloor encode\tthumbnail\tthumbnail/floor\tMpx/s")
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
        let mean = sums.map { $0 / Double(posters.count) }
        let columns = mean.map { "\(Int($0.rounded()))" }
        let ratio = (mean[3] / (mean[1] + mean[2]) * 1000).rounded() / 1000
        let rate = (Double(pixels) / sums[3] * 10).rounded() / 10
        print("\(width)x\(height)\t\(columns.joined(separator: "\t"))\t\(ratio)\t\(rate)")
    }
}

/// Decodes each file once and whole, to planes, with libjpeg-turbo and nothing else.
func decodeImages(_ files: [String]) {
    for file in files {
        if let bytes = read(file) { Floor(bytes, factor: 1).decode() }
    }
}

/// What libjpeg-turbo alone costs on one 4:2:0 or grey file.
private final class Floor {
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
