import Amodb
import CTurboJPEG
import Testing

@testable import PosterImages
@testable import PosterKit

/// Thumbnails beside what an ideal Lanczos in floating point makes of the whole picture.
@Suite struct QualityTests {
    /// What a thumbnail is made of.
    enum Source: Sendable {
        /// A poster of 185×278, and another one, which is progressive.
        case portrait, progressive
        /// An odd part of a poster, 171×257, in these samplings.
        case fine, coarse, grey
    }

    private static let pictures: [Source: (jpeg: [UInt8], pixels: PixelBuffer)] = {
        do {
            let posters = try [0, 2].map { try Fixtures.bytes(Fixtures.posters[$0], .w185) }
            let part = try TestPicture.decoded(posters[0]).cropped(width: 171, height: 257)
            let jpegs: [Source: [UInt8]] = [
                .portrait: posters[0], .progressive: posters[1],
                .fine: try TestPicture.jpeg(part, TJSAMP_444),
                .coarse: try TestPicture.jpeg(part, TJSAMP_420),
                .grey: try TestPicture.jpeg(part, TJSAMP_GRAY),
            ]
            return try jpegs.mapValues { ($0, try TestPicture.decoded($0)) }
        } catch { fatalError("\(error)") }
    }()

    /// A picture, a thumbnail of it, and the mean SSIM that it must have beside the ideal: what it
    /// has, rounded down.
    struct Row: Sendable, CustomTestStringConvertible {
        let source: Source
        let variant: String
        let similarity: Double
        var testDescription: String { "\(source) as \(variant)" }

        init(_ source: Source, _ variant: String, _ similarity: Double) {
            self.source = source
            self.variant = variant
            self.similarity = similarity
        }
    }

    /// Decoded at 1, 1/2, 1/4 and 1/8; even and odd; in both fits.
    static let rows = [
        Row(.portrait, "120x180-cover-q82.jpeg", 0.98),
        Row(.portrait, "61x91-cover-q82.jpeg", 0.982),
        Row(.progressive, "45x67-contain-q82.jpeg", 0.962),
        Row(.progressive, "40x40-cover-q82.jpeg", 0.966),
        Row(.portrait, "23x33-contain-q82.jpeg", 0.954),
        Row(.fine, "85x129-cover-q82.jpeg", 0.983), Row(.fine, "57x-contain-q82.jpeg", 0.985),
        Row(.coarse, "86x128-cover-q82.jpeg", 0.983), Row(.coarse, "41x90-cover-q82.jpeg", 0.988),
        Row(.grey, "60x90-cover-q82.jpeg", 0.985), Row(.grey, "33x51-contain-q82.jpeg", 0.979),
        Row(.portrait, "61x91-cover-q82.png", 0.999),
        Row(.progressive, "46x68-contain-q82.png", 0.998),
        Row(.fine, "57x85-cover-q82.png", 0.999), Row(.coarse, "40x60-cover-q82.png", 0.998),
        Row(.grey, "20x31-cover-q82.png", 0.994), Row(.portrait, "11x17-cover-q82.png", 0.97),
    ]

    @Test("a thumbnail is like the ideal, in all its colours and up to its edges", arguments: rows)
    func likeness(row: Row) throws {
        let source = try #require(Self.pictures[row.source])
        let variant = try #require(ThumbnailVariant(row.variant))
        var worker = ImageWorker()
        let made = try worker.thumbnails(of: source.jpeg, as: [variant], limits: .init())[0]
        let geometry = ThumbnailGeometry(
            variant, storedWidth: source.pixels.width, storedHeight: source.pixels.height,
            orientation: .upright)
        let (width, height) = (geometry.width, geometry.height)
        let ideal = slowResample(source.pixels, geometry.region, width: width, height: height)
        let pixels = try TestPicture.decoded(made)
        #expect((pixels.width, pixels.height) == (width, height))
        let samples = pixels.pixels
        let similarity = structuralSimilarity(samples, ideal, width: width)
        #expect(similarity > row.similarity)
        if variant.format == .jpeg {
            let drawn = PixelBuffer(
                width: width, height: height, layout: .rgb,
                samples: ideal.flatMap { $0.map { UInt8($0) } })
            let own = try worker.encode(drawn, format: .jpeg, quality: variant.quality)
            let pixels = try TestPicture.decoded(own).pixels
            let best = structuralSimilarity(pixels, ideal, width: width)
            #expect(similarity > best - 0.004, "the ideal's own JPEG: \(best)")
        }

        func shift(_ places: some Collection<Int>, _ value: ([Int]) -> Double) -> Double {
            let sum = places.reduce(0) { $0 + value(samples[$1]) - value(ideal[$1]) }
            return abs(sum) / Double(places.count)
        }
        for channel in 0..<3 {
            #expect(shift(samples.indices) { Double($0[channel]) } < 1.5)
        }
        let edges = [
            (0..<width).map { $0 }, (0..<width).map { (height - 1) * width + $0 },
            (0..<height).map { $0 * width }, (0..<height).map { $0 * width + width - 1 },
        ]
        for edge in edges { #expect(shift(edge, luma) < 2) }
    }

    struct Edge: Sendable, CustomTestStringConvertible {
        let sampling: TJSAMP
        let width: Int
        var testDescription: String { "sampling \(sampling.rawValue), \(width) wide" }
    }

    static let edges = [TJSAMP_444, TJSAMP_420, TJSAMP_GRAY].flatMap { sampling in
        [64, 40, 31, 16, 15, 8].map { Edge(sampling: sampling, width: $0) }
    }

    @Test("a hard edge does not ring beyond what the picture holds", arguments: edges)
    func ringing(edge: Edge) throws {
        let variant = try ThumbnailVariant(
            width: edge.width, height: nil, fit: .contain, format: .png)
        var decoder = JPEGDecoder()
        var renderer = ThumbnailRenderer()
        for place in 60..<68 {
            let drawn = PixelBuffer(
                width: 128, height: 24, layout: .rgb,
                samples: (0..<128 * 24).flatMap { pixel -> [UInt8] in
                    pixel % 128 < place ? [200, 40, 60] : [50, 60, 210]
                })
            let jpeg = try TestPicture.jpeg(drawn, edge.sampling)
            let walk = try JPEGWalk(jpeg, limits: .init())
            let ranges = try decoder.decode(jpeg, walk, reduction: 1).planes.map {
                range($0.samples)
            }
            let geometry = ThumbnailGeometry(
                variant, storedWidth: 128, storedHeight: 24, orientation: .upright)
            let picture = try decoder.decode(jpeg, walk, reduction: geometry.reduction)
            let planes = try renderer.jpegPlanes(of: picture, geometry)
            for (made, source) in zip(planes.map(range), ranges) {
                #expect(made.lowerBound >= source.lowerBound - 1)
                #expect(made.upperBound <= source.upperBound + 1)
            }
        }
    }

    private func range(_ plane: SamplePlane) -> ClosedRange<Int> {
        let samples = (0..<plane.height).flatMap { y in
            (0..<plane.width).map { Int(plane.base[y * plane.pitch + $0]) }
        }
        return (samples.min() ?? 0)...(samples.max() ?? 0)
    }
}
