/// How a JPEG's samples lie in memory when it is decoded at one reduction.
struct JPEGLayout {
    /// What a decoder makes of it.
    enum Kind {
        /// Luma, and two chroma planes that are evenly coarser.
        case planes
        /// One plane.
        case grey
        /// Interleaved RGB.
        case pixels
        /// Interleaved CMYK, packed to RGB in place.
        case ink
    }

    /// The factor along both axes.
    let reduction: Int
    let kind: Kind
    private let width: Int
    private let height: Int
    private let chroma: JPEGWalk.Sampling

    init(_ walk: JPEGWalk, reduction: Int) {
        self.reduction = reduction
        (width, height) = (walk.width.over(reduction), walk.height.over(reduction))
        chroma = walk.chromaSubsampling ?? .init(horizontal: 1, vertical: 1)
        switch walk.color {
        case .grey: kind = .grey
        case .yCbCr: kind = walk.chromaSubsampling == nil ? .pixels : .planes
        case .rgb: kind = .pixels
        case .cmyk, .ycck: kind = .ink
        }
    }

    /// Samples that all planes take, in whole alignments.
    var count: Int {
        switch kind {
        case .planes: Self.count(columns, rows) + 2 * Self.count(chromaWidth, chromaHeight)
        case .grey: Self.count(width, height)
        case .pixels: (3 * width * height).aligned
        case .ink: (4 * width * height).aligned
        }
    }

    private var chromaWidth: Int { width.over(chroma.horizontal) }
    private var chromaHeight: Int { height.over(chroma.vertical) }
    // TurboJPEG's luma plane is as large as its chroma planes cover: for an odd width it writes one
    // column more than the picture has.
    private var columns: Int { chromaWidth * chroma.horizontal }
    private var rows: Int { chromaHeight * chroma.vertical }

    private static func count(_ width: Int, _ height: Int) -> Int {
        width.aligned * (height + PlaneDecoder.rowsBeyond)
    }

    /// Planes for the decoder, in ``count`` samples of memory at `base`.
    func planes(at base: UnsafeMutablePointer<UInt8>) -> [SamplePlane] {
        switch kind {
        case .grey: return [SamplePlane(aligned: base, width: width, height: height)]
        case .pixels: return [SamplePlane(base, width: width, height: height, channels: 3)]
        case .ink: return [SamplePlane(base, width: width, height: height, channels: 4)]
        case .planes:
            let blue = base + Self.count(columns, rows)
            let red = blue + Self.count(chromaWidth, chromaHeight)
            return [
                SamplePlane(base, width: width, height: height, pitch: columns.aligned),
                SamplePlane(aligned: blue, width: chromaWidth, height: chromaHeight),
                SamplePlane(aligned: red, width: chromaWidth, height: chromaHeight),
            ]
        }
    }

    /// The picture that the decoder has put into `planes`.
    func picture(of planes: [SamplePlane]) -> DecodedPicture {
        let (across, down) = (reduction * chroma.horizontal, reduction * chroma.vertical)
        switch kind {
        case .planes:
            return DecodedPicture(
                color: .yCbCr,
                planes: [
                    .init(
                        samples: planes[0], columnsPerSample: reduction, rowsPerSample: reduction),
                    .init(samples: planes[1], columnsPerSample: across, rowsPerSample: down),
                    .init(samples: planes[2], columnsPerSample: across, rowsPerSample: down),
                ])
        case .grey, .pixels, .ink:
            let plane =
                kind == .ink
                ? SamplePlane(planes[0].base, width: width, height: height, channels: 3)
                : planes[0]
            return DecodedPicture(
                color: kind == .grey ? .grey : .rgb,
                planes: [
                    .init(samples: plane, columnsPerSample: reduction, rowsPerSample: reduction)
                ])
        }
    }
}
