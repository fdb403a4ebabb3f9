import PictureGenerator
import Testing

@testable import PosterImages
@testable import PosterKit

/// A thumbnail's bytes depend on the picture's bytes and its variant: not on what is made beside it,
/// in which order, or by which decoder; and all that is made together is read once.
@Suite struct ThumbnailCompanyTests {
    private static let variants = [
        "16x24-cover-q82.jpeg", "30x45-cover-q82.jpeg", "60x90-cover-q82.jpeg",
        "120x180-cover-q82.jpeg", "120x180-cover-q82.png", "90x90-cover-q70.webp",
        "200x-contain-q82.jpeg", "2000x3000-contain-q60.jpeg",
    ].compactMap { ThumbnailVariant($0) }

    private static let files = [
        "odd/420.jpg", "odd/grey.jpg", "odd/progressive.jpg", "odd/rgb.jpg", "odd/cmyk-adobe.jpg",
        "odd/exif-6.jpg", "odd/arithmetic.jpg", "odd/sampled-1x4.jpg", "odd/rgba.png",
        "odd/photo.jpg", "odd/3x3.jpg", "odd/17x33.jpg", "odd/scans-apart.jpg",
    ]

    /// A picture's thumbnails, and its tint where it is asked for.
    private static func make(
        _ bytes: [UInt8], _ variants: [ThumbnailVariant], _ worker: inout ImageWorker,
        asksTint: Bool = false
    ) throws -> ([ThumbnailVariant: [UInt8]], Tint?) {
        var tint: Tint?
        let made = try worker.thumbnails(
            of: bytes, as: variants, limits: .init(), onTint: asksTint ? { tint = $0 } : nil)
        return (Dictionary(uniqueKeysWithValues: zip(variants, made)), tint)
    }

    private static func compare(_ bytes: [UInt8], _ name: String) throws {
        var worker = ImageWorker()
        var library = ImageWorker(decodesFast: false)
        let alone = try variants.map { try make(bytes, [$0], &worker).0[$0] }
        var random = SplitMix64(seed: UInt64(bytes.count))
        let all = variants.shuffled(using: &random)
        var companies = [variants, variants.reversed(), all]
        for first in variants {
            for second in variants where first != second { companies.append([first, second]) }
        }
        let tint = try worker.tint(of: bytes, limits: .init())
        for (index, company) in companies.enumerated() {
            let (made, found) = try make(bytes, company, &worker, asksTint: index % 2 == 0)
            for (variant, picture) in zip(variants, alone) where company.contains(variant) {
                #expect(made[variant] == picture, "\(name): \(variant) beside \(company.count - 1)")
            }
            if index % 2 == 0 { #expect(found == tint, "\(name)") }
        }
        // The decoder that the library has by itself makes the same.
        let (made, found) = try make(bytes, all, &library, asksTint: true)
        #expect(variants.map { made[$0] } == alone, "\(name)")
        #expect(found == tint)
        for (variant, picture) in zip(variants, alone) {
            #expect(try make(bytes, [variant], &library).0[variant] == picture, "\(name)")
        }
    }

    @Test("alone, in pairs and with all others a thumbnail is the same", arguments: files)
    func company(file: String) throws { try Self.compare(Fixtures.bytes(file), file) }

    @Test func `the same holds for pictures that are drawn from a seed`() throws {
        var pictures = PictureGenerator(seed: 7, longestSide: 300)
        for _ in 0..<12 {
            let picture = pictures.next()
            try Self.compare(picture.bytes, picture.summary)
        }
    }

    @Test func `all reductions of a picture are those that are decoded alone`() throws {
        var pictures = PictureGenerator(seed: 8)
        var fast = JPEGDecoder()
        var library = JPEGDecoder(isFast: false)
        for _ in 0..<80 {
            let picture = pictures.next()
            let walk = try JPEGWalk(picture.bytes, limits: .init())
            let reductions = [1, 2, 4, 8].filter {
                $0 == 1 || min(walk.width, walk.height) >= 2 * $0
            }
            let together = try Self.samples(
                fast.decode(picture.bytes, walk, reductions: reductions.reversed()))
            let apart = try reductions.reversed().map {
                try Self.samples([library.decode(picture.bytes, walk, reduction: $0)])
            }
            #expect(together == apart.flatMap { $0 }, "\(picture.summary)")
            let slow = try Self.samples(
                library.decode(picture.bytes, walk, reductions: reductions.reversed()))
            #expect(slow == together, "\(picture.summary)")
        }
    }

    private static func samples(_ pictures: [DecodedPicture]) -> [[UInt8]] {
        pictures.map { picture in
            picture.planes.flatMap { plane in
                let samples = plane.samples
                return (0..<samples.height).flatMap {
                    UnsafeBufferPointer(
                        start: samples.base + $0 * samples.pitch,
                        count: samples.width * samples.channels)
                }
            }
        }
    }

    @Test func `a giant's thumbnails are the same in company, too`() throws {
        let giant = try TestPicture.jpeg(width: 4200, height: 4100, quality: 50)
        let variants = ["60x90-cover-q82.jpeg", "700x700-cover-q50.webp", "1200x-contain-q50.png"]
            .compactMap { ThumbnailVariant($0) }
        var worker = ImageWorker()
        let all = try Self.make(giant, variants, &worker, asksTint: true).0
        for variant in variants {
            #expect(try Self.make(giant, [variant], &worker).0[variant] == all[variant])
        }
    }
}
