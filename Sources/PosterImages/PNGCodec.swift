import CPNG

/// Reads and writes PNG through libpng's simplified API, which keeps libpng's `longjmp` inside C,
/// as the one function beside it does.
struct PNGCodec: ~Copyable {
    private var samples = Scratch<UInt8>()
    private var output = Scratch<UInt8>()

    init() {}

    /// Gives memory back that only a giant needed.
    mutating func trim(to limit: Int) {
        samples.trim(to: limit)
        output.trim(to: limit)
    }

    /// Decodes all of a walked PNG to 8 bits a sample: sRGB by its `gAMA` or `sRGB` chunk, or as
    /// if it were where it says nothing.
    mutating func decode(_ walk: PNGWalk) throws(ImageError) -> DecodedPicture {
        var image = png_image()
        image.version = png_uint_32(PNG_IMAGE_VERSION)
        defer { png_image_free(&image) }
        let stream = walk.pixelStream
        return try stream.withUnsafeBufferPointer { bytes throws(ImageError) in
            guard png_image_begin_read_from_memory(&image, bytes.baseAddress, bytes.count) != 0
            else { throw Self.corrupt(image) }
            guard image.width == walk.width, image.height == walk.height else {
                throw .corrupt(.png, "the decoder sees \(image.width)×\(image.height) pixels")
            }
            // libpng takes 16-bit samples without a gAMA chunk for linear light, which no encoder means.
            image.flags |= png_uint_32(PNG_IMAGE_FLAG_16BIT_sRGB)
            let alpha = image.format & png_uint_32(PNG_FORMAT_FLAG_ALPHA)
            let colour = image.format & png_uint_32(PNG_FORMAT_FLAG_COLOR)
            let channels = alpha != 0 ? 4 : colour != 0 ? 3 : 1
            image.format = alpha | (alpha != 0 ? png_uint_32(PNG_FORMAT_FLAG_COLOR) : colour)
            let pitch = channels == 1 ? walk.width.aligned : walk.width * channels
            let plane = SamplePlane(
                samples.reserve(pitch * walk.height), width: walk.width, height: walk.height,
                channels: channels, pitch: pitch)
            if walk.isInterlaced, walk.isWide {
                try Self.readRows(bytes, plane)
            } else if png_image_finish_read(&image, nil, plane.base, Int32(plane.pitch), nil) == 0 {
                throw Self.corrupt(image)
            }
            if alpha != 0 { premultiply(plane) }
            return DecodedPicture(
                color: alpha != 0 ? .premultipliedRGBA : colour != 0 ? .rgb : .grey,
                planes: [.init(samples: plane, columnsPerSample: 1, rowsPerSample: 1)])
        }
    }

    /// Decodes past the simplified API, whose way for 16 bits and Adam7 overruns the buffer.
    private static func readRows(
        _ bytes: UnsafeBufferPointer<UInt8>, _ plane: SamplePlane
    ) throws(ImageError) {
        var text = [CChar](repeating: 0, count: 64)
        let isRead = onesheet_png_read_rows(
            bytes.baseAddress, bytes.count, plane.channels == 4 ? 1 : 0, plane.base, plane.pitch,
            plane.height, &text, text.count)
        guard isRead == 0 else { return }
        throw corrupt(Self.text(text))
    }

    private static func text(_ characters: [CChar]) -> String {
        String(
            decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Pixels above which a picture is compressed by runs alone, 512 Ki: level 6, which libpng takes
    /// by itself, needs half a second a megapixel for a photograph, and runs a tenth of that.
    private static let quickPixels = 512 << 10

    /// Encodes grey (1 channel), RGB (3) or RGBA (4, not premultiplied) as 8-bit sRGB.
    /// `fast`, for what is drawn in flat colours: without row filters and at a low level of deflate,
    /// which is as small for it, in a third of the time.
    ///
    /// Any other large picture takes zlib's run-length strategy: at 2000×3000 0.2 s and not 3.3 s for
    /// a photograph with alpha, for as many bytes; flat drawings would take up to five times as many.
    mutating func encode(
        _ plane: SamplePlane, fast: Bool = false
    ) throws(ImageError) -> [UInt8] {
        // Room for what deflate cannot shrink, so that the picture is compressed once and not
        // once more to learn its size.
        let raw = (plane.pitch + 1) * plane.height
        let size = raw + raw / 8 + raw / 64 + 4096
        let buffer = output.reserve(size)
        let isLarge = plane.width * plane.height > Self.quickPixels
        let written =
            try isLarge && !fast
            ? Self.writeRows(plane, buffer, size) : Self.write(plane, buffer, size, fast: fast)
        return Array(UnsafeBufferPointer(start: buffer, count: written))
    }

    private static func write(
        _ plane: SamplePlane, _ buffer: UnsafeMutablePointer<UInt8>, _ size: Int, fast: Bool
    ) throws(ImageError) -> Int {
        var image = png_image()
        image.version = png_uint_32(PNG_IMAGE_VERSION)
        image.width = png_uint_32(plane.width)
        image.height = png_uint_32(plane.height)
        image.format =
            switch plane.channels {
            case 4: PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_ALPHA
            case 3: PNG_FORMAT_FLAG_COLOR
            default: 0
            }
        if fast { image.flags |= png_uint_32(PNG_IMAGE_FLAG_FAST) }
        defer { png_image_free(&image) }
        var written = size
        guard
            png_image_write_to_memory(
                &image, buffer, &written, 0, plane.base, Int32(plane.pitch), nil) != 0
        else { throw .codec(message(image)) }
        return written
    }

    private static func writeRows(
        _ plane: SamplePlane, _ buffer: UnsafeMutablePointer<UInt8>, _ size: Int
    ) throws(ImageError) -> Int {
        var text = [CChar](repeating: 0, count: 64)
        let written = onesheet_png_write_rows(
            plane.base, plane.pitch, UInt32(plane.width), UInt32(plane.height),
            Int32(plane.channels), buffer, size, &text, text.count)
        guard written > 0 else { throw .codec(Self.text(text)) }
        return written
    }

    /// Encodes a drawn picture.
    mutating func encode(_ pixels: PixelBuffer) throws(ImageError) -> [UInt8] {
        let (width, height) = (pixels.width, pixels.height)
        let channels = pixels.layout == .rgba ? 4 : 3
        let base = samples.reserve(width * height * channels)
        let step = pixels.layout.bytesPerPixel
        let (red, blue) = pixels.layout == .bgrx ? (2, 0) : (0, 2)
        pixels.samples.withUnsafeBufferPointer { from in
            precondition(from.count == width * height * step)
            guard let from = from.baseAddress else { return }
            for pixel in 0..<width * height {
                let (source, target) = (from + pixel &* step, base + pixel &* channels)
                target[0] = source[red]
                target[1] = source[1]
                target[2] = source[blue]
                if channels == 4 { target[3] = source[3] }
            }
        }
        return try encode(
            SamplePlane(base, width: width, height: height, channels: channels), fast: true)
    }

    private static func corrupt(_ image: png_image) -> ImageError { corrupt(message(image)) }

    private static func corrupt(_ message: String) -> ImageError {
        message.contains("memory") ? .codec(message) : .corrupt(.png, message)
    }

    private static func message(_ image: png_image) -> String {
        withUnsafeBytes(of: image.message) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
