import CTurboJPEG

/// Runs libjpeg-turbo's decompressors and owns the memory that they decode into.
///
/// Luma and chroma are read by a ``PlaneDecoder``; what it does not read is left to TurboJPEG, which
/// also has the word on what is wrong with a file.
///
/// Every decode is whole and stops at the first warning, so that success proves the entropy-coded
/// data, too: a reduced decode skips only arithmetic after the coefficients have been read.
/// libjpeg's `longjmp` stays inside C, so no Swift frame is ever jumped over.
///
/// Every picture gets a decompressor of its own, which takes under 1 µs: libjpeg keeps quantisation and
/// Huffman tables, and decodes a later picture that lacks them with those of an earlier one.
struct JPEGDecoder: ~Copyable {
    private var fast = PlaneDecoder()
    private let isFast: Bool
    private let metrics: Metrics
    private var samples = Scratch<UInt8>()

    /// `isFast` is off where the library's own way is compared with the fast one. `metrics` is told
    /// which way each picture went.
    init(isFast: Bool = true, metrics: Metrics = Metrics()) {
        self.isFast = isFast
        self.metrics = metrics
    }

    /// Gives memory back that only a giant needed.
    mutating func trim(to limit: Int) {
        samples.trim(to: limit)
        fast.trim(to: limit)
    }

    /// Decodes at 1/`reduction` of the size along both axes. `walk` must be of these `bytes`.
    mutating func decode(
        _ bytes: [UInt8], _ walk: JPEGWalk, reduction: Int
    ) throws(ImageError) -> DecodedPicture {
        if walk.color == .yCbCr, let chroma = walk.chromaSubsampling {
            return try decodePlanes(bytes, walk, chroma, reduction)
        }
        if isFast, walk.color != .grey {
            metrics.jpegFallbacks.add(walk.color == .yCbCr ? .sampling : .color)
        }
        switch walk.color {
        case .grey: return try decodeGrey(bytes, walk, reduction)
        case .yCbCr, .rgb: return try decodePixels(bytes, walk, reduction, TJPF_RGB, channels: 3)
        case .cmyk, .ycck: return try decodeInk(bytes, walk, reduction)
        }
    }

    private mutating func decodePlanes(
        _ bytes: [UInt8], _ walk: JPEGWalk, _ chroma: JPEGWalk.Sampling, _ reduction: Int
    ) throws(ImageError) -> DecodedPicture {
        let (width, height) = (walk.width.over(reduction), walk.height.over(reduction))
        let (chromaWidth, chromaHeight) = (
            width.over(chroma.horizontal), height.over(chroma.vertical)
        )
        // TurboJPEG's luma plane is as large as its chroma planes cover: for an odd width it writes
        // one column more than the picture has.
        let (columns, rows) = (chromaWidth * chroma.horizontal, chromaHeight * chroma.vertical)
        let (size, chromaSize) = (
            columns.aligned * (rows + PlaneDecoder.rowsBeyond),
            chromaWidth.aligned * (chromaHeight + PlaneDecoder.rowsBeyond)
        )
        let base = samples.reserve(size + 2 * chromaSize)
        let luma = SamplePlane(base, width: width, height: height, pitch: columns.aligned)
        let blue = SamplePlane(aligned: base + size, width: chromaWidth, height: chromaHeight)
        let red = SamplePlane(
            aligned: blue.base + chromaSize, width: chromaWidth, height: chromaHeight)
        try fill([luma, blue, red], from: bytes, walk, reduction)
        let (across, down) = (reduction * chroma.horizontal, reduction * chroma.vertical)
        return DecodedPicture(
            color: .yCbCr,
            planes: [
                .init(samples: luma, columnsPerSample: reduction, rowsPerSample: reduction),
                .init(samples: blue, columnsPerSample: across, rowsPerSample: down),
                .init(samples: red, columnsPerSample: across, rowsPerSample: down),
            ])
    }

    /// Decodes luma and chroma, the fast way if that can be.
    private mutating func fill(
        _ planes: [SamplePlane], from bytes: [UInt8], _ walk: JPEGWalk, _ reduction: Int
    ) throws(ImageError) {
        if decodeFast(bytes, walk, reduction, into: planes) { return }
        var pointers: [UnsafeMutablePointer<UInt8>?] = planes.map(\.base)
        var pitches = planes.map { Int32($0.pitch) }
        try Self.decompress(bytes) { handle, bytes in
            tjDecompressToYUVPlanes(
                handle, bytes.baseAddress, UInt(bytes.count), &pointers, Int32(planes[0].width),
                &pitches, Int32(planes[0].height), TJFLAG_STOPONWARNING)
        }
    }

    private mutating func decodeFast(
        _ bytes: [UInt8], _ walk: JPEGWalk, _ reduction: Int, into planes: [SamplePlane]
    ) -> Bool {
        guard isFast else { return false }
        do throws(JPEGFallback) {
            if walk.isArithmetic { throw .arithmetic }
            try fast.decode(bytes, reduction: reduction, into: planes)
            metrics.fastJPEGDecodes.add(1)
            return true
        } catch {
            metrics.jpegFallbacks.add(error)
            return false
        }
    }

    private mutating func decodePixels(
        _ bytes: [UInt8], _ walk: JPEGWalk, _ reduction: Int, _ format: TJPF, channels: Int
    ) throws(ImageError) -> DecodedPicture {
        let (width, height) = (walk.width.over(reduction), walk.height.over(reduction))
        let pitch = channels == 1 ? width.aligned : width * channels
        let plane = SamplePlane(
            samples.reserve(pitch * height), width: width, height: height, channels: channels,
            pitch: pitch)
        try Self.decompress(bytes) { handle, bytes in
            tjDecompress2(
                handle, bytes.baseAddress, UInt(bytes.count), plane.base, Int32(width),
                Int32(plane.pitch), Int32(height), Int32(format.rawValue), TJFLAG_STOPONWARNING)
        }
        return DecodedPicture(
            color: channels == 1 ? .grey : .rgb,
            planes: [.init(samples: plane, columnsPerSample: reduction, rowsPerSample: reduction)])
    }

    private mutating func decodeGrey(
        _ bytes: [UInt8], _ walk: JPEGWalk, _ reduction: Int
    ) throws(ImageError) -> DecodedPicture {
        let (width, height) = (walk.width.over(reduction), walk.height.over(reduction))
        let plane = SamplePlane(
            aligned: samples.reserve(width.aligned * (height + PlaneDecoder.rowsBeyond)),
            width: width, height: height)
        guard decodeFast(bytes, walk, reduction, into: [plane]) else {
            return try decodePixels(bytes, walk, reduction, TJPF_GRAY, channels: 1)
        }
        return DecodedPicture(
            color: .grey,
            planes: [.init(samples: plane, columnsPerSample: reduction, rowsPerSample: reduction)])
    }

    /// Ink is stored inverted, 255 for none: Adobe began it, and browsers and Pillow take it so
    /// with and without Adobe's marker. Its profile is not applied.
    private mutating func decodeInk(
        _ bytes: [UInt8], _ walk: JPEGWalk, _ reduction: Int
    ) throws(ImageError) -> DecodedPicture {
        let ink = try decodePixels(bytes, walk, reduction, TJPF_CMYK, channels: 4)
        let samples = ink.planes[0].samples
        for pixel in 0..<samples.width * samples.height {
            let black = UInt32(samples.base[4 * pixel + 3])
            for channel in 0..<3 {
                let value = UInt32(samples.base[4 * pixel + channel]) * black
                samples.base[3 * pixel + channel] = UInt8(truncatingIfNeeded: (value + 127) / 255)
            }
        }
        let plane = SamplePlane(
            samples.base, width: samples.width, height: samples.height, channels: 3)
        return DecodedPicture(
            color: .rgb,
            planes: [.init(samples: plane, columnsPerSample: reduction, rowsPerSample: reduction)])
    }

    /// Runs `body` with a decompressor that has seen no picture before.
    private static func decompress(
        _ bytes: [UInt8], _ body: (tjhandle, UnsafeBufferPointer<UInt8>) -> Int32
    ) throws(ImageError) {
        guard let handle = tjInitDecompress() else {
            throw .codec("no memory for a JPEG decoder")
        }
        defer { tjDestroy(handle) }
        guard bytes.withUnsafeBufferPointer({ body(handle, $0) }) == 0 else { throw error(handle) }
    }

    private static func error(_ handle: tjhandle) -> ImageError {
        let message = String(cString: tjGetErrorStr2(handle))
        // "Insufficient memory", "Memory allocation failure": no fault of the file's.
        if message.lowercased().contains("memory") { return .codec(message) }
        if message.hasPrefix("Premature end") { return .truncated(.jpeg, message) }
        return .corrupt(.jpeg, message)
    }
}

extension Int {
    /// The quotient, rounded up: how many samples of `divisor` pixels cover this many pixels.
    func over(_ divisor: Int) -> Int { (self + divisor - 1) / divisor }
}
