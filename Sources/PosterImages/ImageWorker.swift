import Amodb
import PosterBase

/// One pixel thread's own codecs and scratch memory: proves pictures whole, makes thumbnails of
/// them, encodes what was drawn.
///
/// Not shared and not copied: a worker thread makes one and uses it for every job. All methods
/// block for as long as the pixels take.
package struct ImageWorker: ~Copyable {
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

        /// The least that a decoder must shrink it; a PNG is decoded whole, whatever is asked for.
        var leastReduction: Int {
            switch self {
            case .jpeg(let walk): walk.leastReduction
            case .png: 1
            }
        }

        /// Whether there is no memory to keep it, or what it is decoded from, while thumbnails are
        /// encoded: about 10 megapixels.
        var isGiant: Bool {
            switch self {
            case .jpeg(let walk): walk.samples > 16 << 20
            case .png(let walk): walk.width * walk.height > 10 << 20
            }
        }

        var isClear: Bool {
            switch self {
            case .jpeg: false
            case .png(let walk): walk.isClear
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
    /// The same from one drawing to the next, which may be as large as the largest box: a run of
    /// large placeholders would else get and give back 40 MB for each, for half as much CPU again and
    /// with holes in the heap that hundreds of megabytes fit in.
    private static let keptForDrawing = 32 << 20

    private var decoder: JPEGDecoder
    private var encoder = JPEGEncoder()
    private var png = PNGCodec()
    private var webp = WebPEncoder()
    private var renderer = ThumbnailRenderer()
    /// What placeholders are drawn on.
    package var canvas: [UInt8] = []

    /// Told of how long each job took.
    private let metrics: ImageMetrics

    /// `decodesFast` is off where the library's own way is compared with the fast one.
    package init(metrics: ImageMetrics = ImageMetrics(), decodesFast: Bool = true) {
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
    package mutating func tint(of bytes: [UInt8], limits: ImageLimits) throws(ImageError) -> Tint {
        defer { trim() }
        let walk = try walk(bytes, limits)
        return Tint(of: try decode(bytes, walk, reduction: walk.mostReduction))
    }

    /// Makes an encoded thumbnail for each variant, and hands it to `onMade` with the variant's index
    /// as soon as it is there, which says whether to go on. `bytes` are walked and decoded whole as
    /// ``verify(_:limits:onTint:)`` does.
    ///
    /// A thumbnail's bytes depend on `bytes`, its variant and this program alone: each is made of the
    /// picture reduced by its own factor, whatever else is made beside it. The entropy-coded data are
    /// read once for all factors; only a giant is read once for each thumbnail, so that its memory is
    /// free before the next one is encoded. `onTint` is not told of a giant's tint.
    ///
    /// An embedded profile goes with its numbers into every thumbnail, unless it is sRGB's. It is
    /// dropped, and its numbers are taken for sRGB, where they are changed on the way: those of
    /// ink, and of grey that becomes colour, for its transparency or in WebP.
    package mutating func thumbnails(
        of bytes: [UInt8], as variants: [ThumbnailVariant], limits: ImageLimits,
        onTint: ((Tint) -> Void)? = nil, onMade: (Int, [UInt8]) -> Bool
    ) throws(ImageError) {
        defer { trim() }
        let began = ContinuousClock.now
        defer { note(.thumbnail, since: began) }
        let walk = try walk(bytes, limits)
        let orders = variants.map { variant in
            let geometry = ThumbnailGeometry(
                variant, storedWidth: walk.proof.width, storedHeight: walk.proof.height,
                orientation: walk.orientation, isClear: walk.isClear)
            return (geometry, reduction: max(geometry.reduction, walk.leastReduction))
        }
        if walk.isGiant {
            for (index, order) in orders.enumerated() {
                let pictures = try decode(bytes, walk, reductions: [order.reduction])
                let made = try encode(pictures[0], order.0, variants[index], isLast: true)
                guard onMade(index, made) else { return }
            }
            return
        }
        var reductions = Set(orders.map(\.reduction))
        if onTint != nil { reductions.insert(walk.mostReduction) }
        let sorted = reductions.sorted()
        let pictures = try decode(bytes, walk, reductions: sorted)
        for (reduction, picture) in zip(sorted, pictures) {
            if reduction == walk.mostReduction { onTint?(Tint(of: picture)) }
            for (index, order) in orders.enumerated() where order.reduction == reduction {
                let made = try encode(picture, order.0, variants[index], isLast: false)
                guard onMade(index, made) else { return }
            }
        }
    }

    /// As ``thumbnails(of:as:limits:onTint:onMade:)``, all at once, in the order of `variants`.
    package mutating func thumbnails(
        of bytes: [UInt8], as variants: [ThumbnailVariant], limits: ImageLimits,
        onTint: ((Tint) -> Void)? = nil
    ) throws(ImageError) -> [[UInt8]] {
        var made = [[UInt8]](repeating: [], count: variants.count)
        try thumbnails(of: bytes, as: variants, limits: limits, onTint: onTint) {
            made[$0] = $1
            return true
        }
        return made
    }

    /// Encodes drawn pixels. `quality` is JPEG's or WebP's 1…100; PNG ignores it. `isThorough`: a
    /// WebP takes nearly twice the time, for three quarters of the bytes.
    package mutating func encode(
        _ pixels: PixelBuffer, format: ImageFormat, quality: Int, isThorough: Bool = false
    ) throws(ImageError) -> [UInt8] {
        defer { trim(to: Self.keptForDrawing) }
        let count = pixels.width * pixels.height * pixels.layout.bytesPerPixel
        precondition(count > 0 && pixels.samples.count == count)
        switch format {
        case .jpeg: return try encoder.encode(pixels, quality: quality)
        case .png: return try png.encode(pixels)
        case .webp: return try webp.encode(pixels, quality: quality, isThorough: isThorough)
        }
    }

    /// Notes what a job took, however it ended.
    package func note(_ work: ImageMetrics.Work, since began: ContinuousClock.Instant) {
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
        try decode(bytes, walk, reductions: [reduction])[0]
    }

    /// A picture for each of `reductions`, which must differ. They are valid until the next decode.
    private mutating func decode(
        _ bytes: [UInt8], _ walk: Walk, reductions: [Int]
    ) throws(ImageError) -> [DecodedPicture] {
        switch walk {
        case .jpeg(let walk):
            var pictures = try decoder.decode(
                walk.repairs.applied(to: bytes), walk, reductions: reductions)
            for index in pictures.indices { pictures[index].profile = walk.profile }
            return pictures
        case .png(let walk):
            var picture = try png.decode(walk)
            picture.profile = walk.profile
            return [DecodedPicture](repeating: picture, count: reductions.count)
        }
    }

    /// With `isLast` the picture's own memory is given back before the encoder takes its.
    private mutating func encode(
        _ picture: DecodedPicture, _ geometry: ThumbnailGeometry, _ variant: ThumbnailVariant,
        isLast: Bool
    ) throws(ImageError) -> [UInt8] {
        let planes =
            switch variant.format {
            case .jpeg: try renderer.jpegPlanes(of: picture, geometry)
            case .png: [try renderer.pngPlane(of: picture, geometry)]
            case .webp: try renderer.webpPlanes(of: picture, geometry)
            }
        if isLast {
            decoder.trim(to: Self.keptBytes)
            png.trim(to: Self.keptBytes)
        }
        let bare =
            switch variant.format {
            case .jpeg: try encoder.encode(planes, quality: variant.quality)
            case .png: try png.encode(planes[0])
            case .webp: try webp.encode(planes, quality: variant.quality)
            }
        let isGrey = picture.color == .grey && variant.format != .webp
        guard let profile = picture.profile, profile.space == (isGrey ? .grey : .rgb) else {
            return bare
        }
        return try profile.embedded(in: bare, variant.format)
    }

    private mutating func trim(to limit: Int = keptBytes) {
        decoder.trim(to: limit)
        encoder.trim(to: limit)
        png.trim(to: limit)
        webp.trim(to: limit)
        renderer.trim(to: limit)
        if canvas.capacity > limit { canvas = [] }
    }
}
