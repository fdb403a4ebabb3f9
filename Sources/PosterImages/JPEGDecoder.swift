import CTurboJPEG
import PosterBase

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
    private let mostRecodedSamples: Int
    private let metrics: ImageMetrics
    private var samples = Scratch<UInt8>()

    /// `isFast` is off where the library's own way is compared with the fast one. `metrics` is told
    /// which way each picture went.
    init(
        isFast: Bool = true, mostRecodedSamples: Int = JPEGRepairs.mostRecodedSamples,
        metrics: ImageMetrics = ImageMetrics()
    ) {
        (self.isFast, self.mostRecodedSamples) = (isFast, mostRecodedSamples)
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
        try decode(bytes, walk, reductions: [reduction])[0]
    }

    /// Decodes at each of `reductions`, which must differ: fast by reading the entropy-coded data
    /// once, and else once for each. The pictures are the same as if each were decoded alone, and
    /// valid until the next call.
    mutating func decode(
        _ bytes: [UInt8], _ walk: JPEGWalk, reductions: [Int]
    ) throws(ImageError) -> [DecodedPicture] {
        let layouts = reductions.map { JPEGLayout(walk, reduction: $0) }
        var base = samples.reserve(layouts.reduce(0) { $0 + $1.count })
        let targets = layouts.map { layout in
            defer { base += layout.count }
            return PlaneDecoder.Target(
                reduction: layout.reduction, planes: layout.planes(at: base))
        }
        let kind = layouts[0].kind
        do throws(ImageError) {
            try decode(bytes, walk, kind, into: targets)
        } catch {
            guard error.isOfStrayBytes,
                let clean = JPEGRepairs.withoutStrayBytes(
                    bytes, walk, mostSamples: mostRecodedSamples)
            else {
                throw error
            }
            try decode(clean, walk, kind, into: targets)
        }
        return zip(layouts, targets).map { $0.picture(of: $1.planes) }
    }

    private mutating func decode(
        _ bytes: [UInt8], _ walk: JPEGWalk, _ kind: JPEGLayout.Kind,
        into targets: [PlaneDecoder.Target]
    ) throws(ImageError) {
        if decodeFast(bytes, walk, kind, into: targets) { return }
        for target in targets { try decode(bytes, kind, into: target.planes) }
    }

    private mutating func decodeFast(
        _ bytes: [UInt8], _ walk: JPEGWalk, _ kind: JPEGLayout.Kind,
        into targets: [PlaneDecoder.Target]
    ) -> Bool {
        guard isFast else { return false }
        do throws(JPEGFallback) {
            if kind == .pixels || kind == .ink {
                throw walk.color == .yCbCr ? .sampling : .color
            }
            if walk.isArithmetic { throw .arithmetic }
            try fast.decode(bytes, into: targets)
            metrics.fastJPEGDecodes.add(1)
            return true
        } catch {
            metrics.jpegFallbacks.add(error)
            return false
        }
    }

    /// Decodes by TurboJPEG alone.
    private func decode(
        _ bytes: [UInt8], _ kind: JPEGLayout.Kind, into planes: [SamplePlane]
    ) throws(ImageError) {
        switch kind {
        case .planes: try Self.decompressPlanes(bytes, into: planes)
        case .grey: try Self.decompressPixels(bytes, TJPF_GRAY, into: planes[0])
        case .pixels: try Self.decompressPixels(bytes, TJPF_RGB, into: planes[0])
        case .ink:
            try Self.decompressPixels(bytes, TJPF_CMYK, into: planes[0])
            Self.showInk(planes[0])
        }
    }

    private static func decompressPlanes(
        _ bytes: [UInt8], into planes: [SamplePlane]
    ) throws(ImageError) {
        var pointers: [UnsafeMutablePointer<UInt8>?] = planes.map(\.base)
        var pitches = planes.map { Int32($0.pitch) }
        try decompress(bytes) { handle, bytes in
            tjDecompressToYUVPlanes(
                handle, bytes.baseAddress, UInt(bytes.count), &pointers, Int32(planes[0].width),
                &pitches, Int32(planes[0].height), TJFLAG_STOPONWARNING)
        }
    }

    private static func decompressPixels(
        _ bytes: [UInt8], _ format: TJPF, into plane: SamplePlane
    ) throws(ImageError) {
        try decompress(bytes) { handle, bytes in
            tjDecompress2(
                handle, bytes.baseAddress, UInt(bytes.count), plane.base, Int32(plane.width),
                Int32(plane.pitch), Int32(plane.height), Int32(format.rawValue),
                TJFLAG_STOPONWARNING)
        }
    }

    /// Packs ink to RGB in place. Ink is stored inverted, 255 for none: Adobe began it, and browsers
    /// and Pillow take it so with and without Adobe's marker. Its profile is not applied.
    private static func showInk(_ plane: SamplePlane) {
        for pixel in 0..<plane.width * plane.height {
            let black = UInt32(plane.base[4 * pixel + 3])
            for channel in 0..<3 {
                let value = UInt32(plane.base[4 * pixel + channel]) * black
                plane.base[3 * pixel + channel] = UInt8(truncatingIfNeeded: (value + 127) / 255)
            }
        }
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

extension ImageError {
    /// Whether libjpeg found bytes before a marker that belong to nothing, and no other fault so far.
    fileprivate var isOfStrayBytes: Bool {
        if case .corrupt(.jpeg, let message) = self {
            message.contains("extraneous bytes")
        } else {
            false
        }
    }
}

extension Int {
    /// The quotient, rounded up: how many samples of `divisor` pixels cover this many pixels.
    func over(_ divisor: Int) -> Int { (self + divisor - 1) / divisor }
}
