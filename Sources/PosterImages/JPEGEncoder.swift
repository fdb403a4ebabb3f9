import CTurboJPEG

/// Runs libjpeg-turbo's compressors and owns the memory that they write to.
///
/// Every picture gets a compressor of its own, which takes under 1 µs: libjpeg keeps the Huffman tables of
/// the last one, so that a stream could depend on what was encoded before it.
///
/// Its streams are baseline, 4:2:0 or grey, with a JFIF header and no other metadata. Their Huffman
/// tables are T.81's own: TurboJPEG 2.1 makes optimised ones only for a whole process, by an
/// environment variable, and they would save 15, 7 and 5 % of the bytes at 60×90, 120×180 and
/// 185×278 for 16, 8 and 13 % more CPU time a thumbnail.
struct JPEGEncoder: ~Copyable {
    /// Without `ACCURATEDCT` TurboJPEG takes a coarser transform below quality 96: mean SSIM at
    /// 120×180 and quality 82 falls from 0.9707 to 0.9705, for three microseconds.
    private static let flags = TJFLAG_NOREALLOC | TJFLAG_ACCURATEDCT

    private var output = Scratch<UInt8>()

    init() {}

    /// Gives memory back that only a giant needed.
    mutating func trim(to limit: Int) { output.trim(to: limit) }

    /// Encodes luma alone, luma and two chroma planes of half its sides, rounded up, or one
    /// plane of RGB. Beside chroma, luma must go on in memory to an even width and height:
    /// TurboJPEG reads as far.
    mutating func encode(_ planes: [SamplePlane], quality: Int) throws(ImageError) -> [UInt8] {
        let first = planes[0]
        guard first.channels == 1 else {
            precondition(first.channels == 3 && planes.count == 1)
            return try encode(
                first.base, width: first.width, height: first.height, TJPF_RGB, bytesPerPixel: 3,
                quality)
        }
        precondition(
            planes.areLumaAndHalvedChroma
                && (planes.count == 1 || first.pitch >= first.width.over(2) * 2))
        let subsampling = planes.count == 1 ? TJSAMP_GRAY : TJSAMP_420
        var pointers = planes.map { UnsafePointer<UInt8>?($0.base) }
        var pitches = planes.map { Int32($0.pitch) }
        return try write(first.width, first.height, subsampling) { handle, buffer, size in
            tjCompressFromYUVPlanes(
                handle, &pointers, Int32(first.width), &pitches, Int32(first.height),
                Int32(subsampling.rawValue), buffer, size, Int32(quality), Self.flags)
        }
    }

    /// Encodes a drawn picture; its alpha, if any, is ignored.
    mutating func encode(_ pixels: PixelBuffer, quality: Int) throws(ImageError) -> [UInt8] {
        let format =
            switch pixels.layout {
            case .rgb: TJPF_RGB
            case .rgba: TJPF_RGBX
            case .bgrx: TJPF_BGRX
            }
        return try pixels.samples.withUnsafeBufferPointer { samples throws(ImageError) in
            guard let base = samples.baseAddress else {
                throw .empty(width: pixels.width, height: pixels.height)
            }
            return try encode(
                base, width: pixels.width, height: pixels.height, format,
                bytesPerPixel: pixels.layout.bytesPerPixel, quality)
        }
    }

    private mutating func encode(
        _ base: UnsafePointer<UInt8>, width: Int, height: Int, _ format: TJPF, bytesPerPixel: Int,
        _ quality: Int
    ) throws(ImageError) -> [UInt8] {
        try write(width, height, TJSAMP_420) { handle, buffer, size in
            tjCompress2(
                handle, base, Int32(width), Int32(width * bytesPerPixel), Int32(height),
                Int32(format.rawValue), buffer, size, Int32(TJSAMP_420.rawValue), Int32(quality),
                Self.flags)
        }
    }

    /// Runs `compress` on a buffer that is large enough for any picture of this size.
    private mutating func write(
        _ width: Int, _ height: Int, _ subsampling: TJSAMP,
        _ compress: (
            tjhandle, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, UnsafeMutablePointer<UInt>
        ) -> Int32
    ) throws(ImageError) -> [UInt8] {
        guard let handle = tjInitCompress() else { throw .codec("no memory for a JPEG encoder") }
        defer { tjDestroy(handle) }
        var size = tjBufSize(Int32(width), Int32(height), Int32(subsampling.rawValue))
        guard size != .max else { throw .codec(String(cString: tjGetErrorStr2(nil))) }
        let base = output.reserve(Int(size))
        var buffer: UnsafeMutablePointer<UInt8>? = base
        guard compress(handle, &buffer, &size) == 0 else {
            throw .codec(String(cString: tjGetErrorStr2(handle)))
        }
        return Array(UnsafeBufferPointer(start: base, count: Int(size)))
    }
}
