import CTurboJPEG
import CWebP
import Testing

@testable import PosterImages
@testable import PosterKit

/// Pictures that tests draw, and what they read back of encoded ones.
enum TestPicture {
    /// A slope of its own in each channel, so that any shift, turn or swap of channels shows,
    /// and no edge, where coarser chroma alone would make a difference.
    static func drawn(width: Int, height: Int) -> PixelBuffer {
        var samples: [UInt8] = []
        samples.reserveCapacity(width * height * 3)
        for y in 0..<height {
            for x in 0..<width {
                let (u, v) = (
                    (Double(x) + 0.5) / Double(width), (Double(y) + 0.5) / Double(height)
                )
                let red = 40 + 160 * u
                let green = 30 + 150 * v
                let blue = 220 - 150 * u * v
                samples += [red, green, blue].map { UInt8($0) }
            }
        }
        return PixelBuffer(width: width, height: height, layout: .rgb, samples: samples)
    }

    /// ``drawn(width:height:)`` as a JPEG.
    static func jpeg(width: Int, height: Int, quality: Int = 95) throws -> [UInt8] {
        var worker = ImageWorker()
        return try worker.encode(
            drawn(width: width, height: height), format: .jpeg, quality: quality)
    }

    /// An RGB picture as a JPEG in any sampling.
    static func jpeg(
        _ pixels: PixelBuffer, _ sampling: TJSAMP, quality: Int32 = 95
    ) throws -> [UInt8] {
        precondition(pixels.layout == .rgb)
        let handle = tjInitCompress()
        defer { tjDestroy(handle) }
        var (output, size) = (UnsafeMutablePointer<UInt8>?.none, UInt(0))
        defer { tjFree(output) }
        let status = tjCompress2(
            handle, pixels.samples, Int32(pixels.width), 0, Int32(pixels.height),
            Int32(TJPF_RGB.rawValue), &output, &size, Int32(sampling.rawValue), quality, 0)
        guard status == 0 else { throw ImageError.codec(String(cString: tjGetErrorStr2(handle))) }
        return Array(UnsafeBufferPointer(start: output, count: Int(size)))
    }

    /// An encoded picture's pixels as RGB, of grey, too.
    static func decoded(_ bytes: [UInt8]) throws -> PixelBuffer {
        let (width, height, pixels) = try pixels(bytes)
        let samples = pixels.flatMap { pixel -> [UInt8] in
            let color = pixel.count == 1 ? [pixel[0], pixel[0], pixel[0]] : pixel
            return color.map { UInt8(max(0, min(255, $0))) }
        }
        return PixelBuffer(width: width, height: height, layout: .rgb, samples: samples)
    }

    /// The same JPEG with an EXIF segment that holds an orientation.
    static func jpeg(_ jpeg: [UInt8], orientation: UInt8) -> [UInt8] {
        let tiff: [UInt8] =
            [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 1]
            + [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0]
        let body = Array("Exif\0\0".utf8) + tiff
        let length = UInt8(body.count + 2)
        return Array(jpeg[..<2]) + [0xFF, 0xE1, 0, length] + body + Array(jpeg[2...])
    }

    /// The pixels of an encoded picture as RGB, or RGBA where it has alpha (premultiplied).
    static func pixels(_ bytes: [UInt8]) throws -> (width: Int, height: Int, samples: [[Int]]) {
        switch ImageFormat(firstBytes: bytes) {
        case .png:
            var codec = PNGCodec()
            let plane = try codec.decode(PNGWalk(bytes, limits: .init())).planes[0].samples
            let samples = (0..<plane.width * plane.height).map { pixel -> [Int] in
                let start =
                    pixel / plane.width * plane.pitch + pixel % plane.width * plane.channels
                return (0..<plane.channels).map { Int(plane.base[start + $0]) }
            }
            return (plane.width, plane.height, samples)
        case .webp: return webpPixels(bytes)
        default:
            var decoder = JPEGDecoder()
            let picture = try decoder.decode(
                bytes, JPEGWalk(bytes, limits: .init()), reduction: 1)
            let luma = picture.planes[0].samples
            let samples = (0..<luma.width * luma.height).map { pixel -> [Int] in
                let (x, y) = (pixel % luma.width, pixel / luma.width)
                let parts = picture.planes.map { sample($0, x, y) }
                guard picture.color == .yCbCr else { return parts.map { Int($0) } }
                let (cb, cr) = (parts[1] - 128, parts[2] - 128)
                return [
                    parts[0] + 1.402 * cr, parts[0] - 0.344136 * cb - 0.714136 * cr,
                    parts[0] + 1.772 * cb,
                ].map { Int($0.rounded()) }
            }
            return (luma.width, luma.height, samples)
        }
    }
}

extension PixelBuffer {
    /// The part at the top left.
    func cropped(width: Int, height: Int) -> PixelBuffer {
        let step = layout.bytesPerPixel
        let rows = (0..<height).flatMap { y in
            samples[(y * self.width * step)...].prefix(width * step)
        }
        return PixelBuffer(width: width, height: height, layout: layout, samples: rows)
    }

    /// The channels of each pixel.
    var pixels: [[Int]] {
        let step = layout.bytesPerPixel
        return (0..<width * height).map { pixel in
            (0..<step).map { Int(samples[pixel * step + $0]) }
        }
    }
}

/// As libwebp shows it, which makes finer chroma of coarse as JPEG's readers do.
private func webpPixels(_ bytes: [UInt8]) -> (width: Int, height: Int, samples: [[Int]]) {
    var (features, width, height) = (WebPBitstreamFeatures(), Int32(0), Int32(0))
    guard WebPGetFeatures(bytes, bytes.count, &features) == VP8_STATUS_OK,
        let decoded = WebPDecodeRGBA(bytes, bytes.count, &width, &height)
    else { return (0, 0, []) }
    defer { WebPFree(decoded) }
    let samples = (0..<Int(width * height)).map { pixel -> [Int] in
        let color = (0..<4).map { Int(decoded[4 * pixel + $0]) }
        return features.has_alpha == 0
            ? Array(color[..<3]) : color[..<3].map { $0 * color[3] / 255 } + [color[3]]
    }
    return (Int(width), Int(height), samples)
}

/// The plane's value at a pixel's centre, between its four nearest samples.
private func sample(_ plane: DecodedPicture.Plane, _ x: Int, _ y: Int) -> Double {
    let samples = plane.samples
    func at(_ column: Int, _ row: Int) -> Double {
        let (column, row) = (
            max(0, min(samples.width - 1, column)), max(0, min(samples.height - 1, row))
        )
        return Double(samples.base[row * samples.pitch + column])
    }
    let column = (Double(x) + 0.5) / Double(plane.columnsPerSample) - 0.5
    let row = (Double(y) + 0.5) / Double(plane.rowsPerSample) - 0.5
    let (left, top) = (Int(column.rounded(.down)), Int(row.rounded(.down)))
    let (right, below) = (column - Double(left), row - Double(top))
    let above = at(left, top) * (1 - right) + at(left + 1, top) * right
    let under = at(left, top + 1) * (1 - right) + at(left + 1, top + 1) * right
    return above * (1 - below) + under * below
}

/// How far two rows of pixels lie apart.
struct Difference {
    let mean: Double
    let worst: Int

    init(_ one: [[Int]], _ other: [[Int]]) {
        precondition(one.count == other.count)
        var (sum, count, worst) = (0, 0, 0)
        for (a, b) in zip(one, other) {
            for (x, y) in zip(a, b) {
                sum += abs(x - y)
                count += 1
                worst = max(worst, abs(x - y))
            }
        }
        mean = Double(sum) / Double(max(count, 1))
        self.worst = worst
    }
}
