import CWebP

/// Writes lossy WebP (RFC 9649; RFC 6386 for the pixels) through libwebp, 4:2:0, with alpha where
/// the picture has it and no metadata.
///
/// Chroma lies where JPEG's does, in the middle of four pixels, so that the planes of a JPEG go in
/// as they are but for their range: WebP counts luma from 16 to 235 and chroma from 16 to 240
/// (ITU-R BT.601), JFIF both from 0 to 255.
struct WebPEncoder: ~Copyable {
    /// libwebp's effort, 0…6. At 120×180 and quality 82 its own choice, 4, takes 3.0 ms for 5766
    /// bytes and SSIM 0.974; 2 takes 1.5 ms for 5920 and 0.972; at 185×278 it is 6.8 and 3.1 ms.
    private static let method: Int32 = 2
    /// The effort for what is drawn, which is flat nearly everywhere: 0 takes 9 ms for 780×1170
    /// pixels and 2 takes 16, for four fifths of the bytes.
    private static let methodForDrawings: Int32 = 0

    /// Pixels above which the least effort is taken, 1 Mi: at 2000×3000 and quality 100 noise takes 0.7
    /// and not 0.9 s. A photograph takes 3 % more bytes.
    private static let quickPixels = 1 << 20

    private var samples = Scratch<UInt8>()

    init() {}

    /// Gives memory back that only a giant needed.
    mutating func trim(to limit: Int) { samples.trim(to: limit) }

    /// Encodes luma alone, luma and two chroma planes of half its sides, rounded up, or one
    /// plane of RGB or of RGBA that is not premultiplied. `quality` is libwebp's 0…100.
    mutating func encode(_ planes: [SamplePlane], quality: Int) throws(ImageError) -> [UInt8] {
        let first = planes[0]
        guard first.channels == 1 else {
            precondition(first.channels >= 3 && planes.count == 1)
            return try encode(
                first.base, width: first.width, height: first.height, pitch: first.pitch,
                first.channels == 3 ? WebPPictureImportRGB : WebPPictureImportRGBA, quality)
        }
        precondition(planes.areLumaAndHalvedChroma)
        let (chromaWidth, chromaHeight) = (first.width.over(2), first.height.over(2))
        let (size, chromaSize) = (first.width * first.height, chromaWidth * chromaHeight)
        let luma = samples.reserve(size + 2 * chromaSize)
        narrow(first, to: luma, range: 219, zero: 16 * 255)
        let (blue, red) = (luma + size, luma + size + chromaSize)
        if planes.count == 3 {
            for (plane, target) in zip(planes.dropFirst(), [blue, red]) {
                narrow(plane, to: target, range: 224, zero: 128 * 255 - 128 * 224)
            }
        } else {
            blue.update(repeating: 128, count: 2 * chromaSize)
        }
        return try encode(width: first.width, height: first.height, quality) { picture in
            picture.y = luma
            picture.u = blue
            picture.v = red
            picture.y_stride = Int32(first.width)
            picture.uv_stride = Int32(chromaWidth)
            return true
        }
    }

    /// Encodes a drawn picture, with its alpha; with the effort for photographs if `isThorough`.
    mutating func encode(
        _ pixels: PixelBuffer, quality: Int, isThorough: Bool = false
    ) throws(ImageError) -> [UInt8] {
        let take =
            switch pixels.layout {
            case .rgb: WebPPictureImportRGB
            case .rgba: WebPPictureImportRGBA
            case .bgrx: WebPPictureImportBGRX
            }
        return try pixels.samples.withUnsafeBufferPointer { samples throws(ImageError) in
            guard let base = samples.baseAddress else {
                throw .empty(width: pixels.width, height: pixels.height)
            }
            return try encode(
                base, width: pixels.width, height: pixels.height,
                pitch: pixels.width * pixels.layout.bytesPerPixel, take, quality,
                method: isThorough ? Self.method : Self.methodForDrawings)
        }
    }

    private typealias Import = (
        UnsafeMutablePointer<WebPPicture>?, UnsafePointer<UInt8>?, Int32
    ) -> Int32

    private func encode(
        _ base: UnsafePointer<UInt8>, width: Int, height: Int, pitch: Int, _ take: Import,
        _ quality: Int, method: Int32 = Self.method
    ) throws(ImageError) -> [UInt8] {
        try encode(width: width, height: height, quality, method: method) { picture in
            take(&picture, base, Int32(pitch)) != 0
        }
    }

    /// Encodes the samples that `fill` gives the picture.
    private func encode(
        width: Int, height: Int, _ quality: Int, method: Int32 = Self.method,
        _ fill: (inout WebPPicture) -> Bool
    ) throws(ImageError) -> [UInt8] {
        var (configuration, picture) = (WebPConfig(), WebPPicture())
        guard WebPConfigInit(&configuration) != 0, WebPPictureInit(&picture) != 0 else {
            throw .codec("libwebp is not the one that this was built for")
        }
        configuration.quality = Float(quality)
        configuration.method = width * height > Self.quickPixels ? 0 : method
        picture.width = Int32(width)
        picture.height = Int32(height)
        var output = WebPMemoryWriter()
        WebPMemoryWriterInit(&output)
        defer {
            WebPPictureFree(&picture)
            WebPMemoryWriterClear(&output)
        }
        let isDone = withUnsafeMutablePointer(to: &output) { output in
            picture.writer = WebPMemoryWrite
            picture.custom_ptr = UnsafeMutableRawPointer(output)
            return fill(&picture) && WebPEncode(&configuration, &picture) != 0
        }
        guard isDone else {
            let error = picture.error_code
            let isMemory = [
                VP8_ENC_ERROR_OUT_OF_MEMORY, VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY,
                VP8_ENC_ERROR_BAD_WRITE,
            ].contains(error)
            let what = isMemory ? "out of memory" : "error \(error.rawValue)"
            throw .codec("WebP encoder: " + what)
        }
        return Array(UnsafeBufferPointer(start: output.mem, count: output.size))
    }
}

/// Copies a plane, without padding, as `(sample × range + zero) / 255`, rounded.
private func narrow(
    _ plane: SamplePlane, to target: UnsafeMutablePointer<UInt8>, range: UInt16, zero: UInt16
) {
    for y in 0..<plane.height {
        let (from, to) = (plane.base + y * plane.pitch, target + y * plane.width)
        for x in 0..<plane.width {
            // At most 224 × 255 + 255 × 16 + 128, so that it fits; x / 255 = (x + x / 256) / 256.
            let scaled = UInt16(from[x]) &* range &+ zero &+ 128
            to[x] = UInt8(truncatingIfNeeded: (scaled &+ scaled >> 8) >> 8)
        }
    }
}
