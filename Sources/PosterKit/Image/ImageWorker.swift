import Amodb

/// One pixel thread's own codecs and scratch memory: proves pictures whole, makes thumbnails of
/// them, encodes what was drawn.
///
/// Not shared and not copied: a worker thread makes one and uses it for every job. All methods
/// block for as long as the pixels take.
struct ImageWorker: ~Copyable {
    /// What a proven picture is.
    struct Proof: Equatable, Sendable {
        let format: ImageFormat
        /// Pixels, as stored: before the turn that an EXIF orientation asks for.
        let width: Int
        let height: Int
    }

    private enum Walk {
        case jpeg(JPEGWalk)
        case png(PNGWalk)

        var proof: Proof {
            switch self {
            case .jpeg(let walk): Proof(format: .jpeg, width: walk.width, height: walk.height)
            case .png(let walk): Proof(format: .png, width: walk.width, height: walk.height)
            }
        }

        /// What proves the picture and shows its colours for the least: of one that is smaller than
        /// two blocks a decoder could not leave whole samples.
        var mostReduction: Int { min(proof.width, proof.height) < 16 ? 1 : 8 }

        var leastReduction: Int {
            switch self {
            case .jpeg(let walk): walk.leastReduction
            case .png: 1
            }
        }

        var orientation: Orientation {
            switch self {
            case .jpeg(let walk): walk.orientation
            case .png(let walk): walk.orientation
            }
        }
    }

    /// Scratch memory that a worker keeps between pictures, per buffer: a w500 poster takes half
    /// a megabyte, and what a giant took is given back.
    private static let keptBytes = 8 << 20

    private var decoder: JPEGDecoder
    private var encoder = JPEGEncoder()
    private var png = PNGCodec()
    private var webp = WebPEncoder()
    private var renderer = ThumbnailRenderer()

    /// Told of how long each job took.
    private let metrics: Metrics

    /// `decodesFast` is off where the library's own way is compared with the fast one.
    init(metrics: Metrics = Metrics(), decodesFast: Bool = true) {
        self.metrics = metrics
        decoder = JPEGDecoder(isFast: decodesFast, metrics: metrics)
    }

    /// Proves that `bytes` are one whole JPEG or PNG within `limits`, by walking it and then
    /// decoding all of it. `onTint` is told the colour that stands for it.
    mutating func verify(
        _ bytes: [UInt8], limits: ImageLimits, onTint: ((Tint) -> Void)? = nil
    ) throws(ImageError) -> Proof {
        defer { trim() }
        let began = ContinuousClock.now
        defer { note(.verify, since: began) }
        let walk = try walk(bytes, limits)
        // The smallest picture proves as much: every coefficient is read, only fewer are summed.
        let picture = try decode(bytes, walk, reduction: walk.mostReduction)
        onTint?(Tint(of: picture))
        return walk.proof
    }

    /// The colour that stands for a picture, from its smallest decode.
    mutating func tint(of bytes: [UInt8], limits: ImageLimits) throws(ImageError) -> Tint {
        defer { trim() }
        let walk = try walk(bytes, limits)
        return Tint(of: try decode(bytes, walk, reduction: walk.mostReduction))
    }

    /// Makes an encoded thumbnail for each variant, from one decode of `bytes`, which is walked
    /// and decoded whole as ``verify(_:limits:onTint:)`` does.
    ///
    /// An embedded profile goes with its numbers into every thumbnail, unless it is sRGB's. It is
    /// dropped, and its numbers are taken for sRGB, where they are changed on the way: those of
    /// ink, and of grey that becomes colour, for its transparency or in WebP.
    mutating func thumbnails(
        of bytes: [UInt8], as variants: [ThumbnailVariant], limits: ImageLimits,
        onTint: ((Tint) -> Void)? = nil
    ) throws(ImageError) -> [[UInt8]] {
        defer { trim() }
        let began = ContinuousClock.now
        defer { note(.thumbnail, since: began) }
        let walk = try walk(bytes, limits)
        let geometries = variants.map {
            ThumbnailGeometry(
                $0, storedWidth: walk.proof.width, storedHeight: walk.proof.height,
                orientation: walk.orientation)
        }
        let reduction = max(geometries.map(\.reduction).min() ?? 8, walk.leastReduction)
        let picture = try decode(bytes, walk, reduction: reduction)
        onTint?(Tint(of: picture))
        var thumbnails: [[UInt8]] = []
        for (variant, geometry) in zip(variants, geometries) {
            thumbnails.append(try encode(picture, geometry, variant))
        }
        return thumbnails
    }

    /// Encodes drawn pixels. `quality` is JPEG's or WebP's 1…100; PNG ignores it. `isThorough`: a
    /// WebP takes nearly twice the time, for three quarters of the bytes.
    mutating func encode(
        _ pixels: PixelBuffer, format: ImageFormat, quality: Int, isThorough: Bool = false
    ) throws(ImageError) -> [UInt8] {
        defer { trim() }
        let count = pixels.width * pixels.height * pixels.layout.bytesPerPixel
        precondition(count > 0 && pixels.samples.count == count)
        switch format {
        case .jpeg: return try encoder.encode(pixels, quality: quality)
        case .png: return try png.encode(pixels)
        case .webp: return try webp.encode(pixels, quality: quality, isThorough: isThorough)
        }
    }

    /// Notes what a job took, however it ended.
    func note(_ work: Metrics.PixelWork, since began: ContinuousClock.Instant) {
        metrics.pixelTimes.observe(work, began.duration(to: .now))
    }

    private func walk(_ bytes: [UInt8], _ limits: ImageLimits) throws(ImageError) -> Walk {
        guard bytes.count <= limits.bytes else {
            throw .tooManyBytes(bytes.count, limit: limits.bytes)
        }
        switch ImageFormat(firstBytes: bytes) {
        case .jpeg: return .jpeg(try JPEGWalk(bytes, limits: limits))
        case .png: return .png(try PNGWalk(bytes, limits: limits))
        case .webp: throw .unsupported("WebP")
        case nil: throw .notAnImage(firstBytes: Array(bytes.prefix(8)))
        }
    }

    private mutating func decode(
        _ bytes: [UInt8], _ walk: Walk, reduction: Int
    ) throws(ImageError) -> DecodedPicture {
        switch walk {
        case .jpeg(let walk):
            var picture = try decoder.decode(
                walk.repairs.applied(to: bytes), walk, reduction: reduction)
            picture.profile = walk.profile
            return picture
        case .png(let walk):
            var picture = try png.decode(walk)
            picture.profile = walk.profile
            return picture
        }
    }

    private mutating func encode(
        _ picture: DecodedPicture, _ geometry: ThumbnailGeometry, _ variant: ThumbnailVariant
    ) throws(ImageError) -> [UInt8] {
        let bare =
            switch variant.format {
            case .jpeg:
                try encoder.encode(
                    try renderer.jpegPlanes(of: picture, geometry), quality: variant.quality)
            case .png: try png.encode(try renderer.pngPlane(of: picture, geometry))
            case .webp:
                try webp.encode(
                    try renderer.webpPlanes(of: picture, geometry), quality: variant.quality)
            }
        let isGrey = picture.color == .grey && variant.format != .webp
        guard let profile = picture.profile, profile.space == (isGrey ? .grey : .rgb) else {
            return bare
        }
        return try profile.embedded(in: bare, variant.format)
    }

    private mutating func trim() {
        decoder.trim(to: Self.keptBytes)
        encoder.trim(to: Self.keptBytes)
        png.trim(to: Self.keptBytes)
        webp.trim(to: Self.keptBytes)
        renderer.trim(to: Self.keptBytes)
    }
}
