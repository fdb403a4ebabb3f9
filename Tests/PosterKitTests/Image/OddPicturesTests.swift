import Amodb
import Testing

@testable import PosterImages
@testable import PosterKit

/// The pictures of `fixtures/odd`: every kind comes out right, and what must be refused is, by
/// name.
@Suite struct OddPicturesTests {
    private let limits = ImageLimits()

    /// What a file shows, a colour a quadrant: from top left to bottom right.
    struct Row: Sendable, CustomTestStringConvertible {
        let file: String
        let quadrants: [[Int]]
        var tolerance = 5
        var testDescription: String { file }
    }

    static let card = [[200, 40, 40], [40, 160, 60], [40, 60, 200], [230, 200, 40]]
    static let grey = [88, 113, 70, 191].map { [$0] }
    static let inks = [[225, 49, 66], [50, 195, 65], [41, 88, 235], [231, 212, 52]]
    /// The ground that shows through a transparent picture.
    static let ground = [58, 58, 58]
    static let halfGreen = [49, 109, 59]
    static let halfBlue = [49, 59, 129]

    static let shown: [Row] =
        [
            "444.jpg", "422.jpg", "420.jpg", "440.jpg", "411.jpg", "rgb.jpg", "restart.jpg",
            "arithmetic.jpg", "arithmetic-progressive.jpg", "progressive.jpg", "exif-0.jpg",
            "exif-1.jpg", "exif-2.jpg", "exif-3.jpg", "exif-4.jpg", "exif-5.jpg", "exif-6.jpg",
            "exif-7.jpg", "exif-8.jpg", "exif-broken.jpg", "icc-srgb.jpg", "rgb.png",
            "palette.png", "palette-4bit.png", "rgb-16bit.png", "interlaced.png", "gama.png",
            "exif-6.png", "trailing.jpg", "trailing.png", "png-named.jpg", "jpeg-named.png",
            "crc-text.png", "text-bomb.png", "scans-100.jpg", "sampled-1x4.jpg", "scans-apart.jpg",
            "scans-apart-twice.jpg",
        ].map { Row(file: $0, quadrants: card) }
        + [
            Row(file: "grey.jpg", quadrants: grey), Row(file: "grey-8bit.png", quadrants: grey),
            Row(file: "grey-1bit.png", quadrants: [[0], [255], [0], [255]]),
            Row(
                file: "grey-trns.png",
                quadrants: [[88, 88, 88], ground, [70, 70, 70], [191, 191, 191]]),
            Row(file: "rgba.png", quadrants: [card[0], halfGreen, card[2], ground]),
            Row(
                file: "grey-alpha.png",
                quadrants: [[88, 88, 88], [86, 86, 86], [70, 70, 70], ground]),
            Row(file: "palette-trns.png", quadrants: [card[0], card[1], halfBlue, ground]),
            Row(file: "cmyk-adobe.jpg", quadrants: inks),
            Row(file: "cmyk-plain-inverted.jpg", quadrants: inks),
            Row(file: "ycck.jpg", quadrants: inks, tolerance: 8),
            // Samples are taken as Adobe has them, with its marker or without: what Pillow 13 and
            // libvips 8.18 show.
            Row(
                file: "cmyk-plain.jpg",
                quadrants: [[0, 24, 21], [45, 0, 40], [16, 13, 0], [1, 2, 12]]),
        ]

    @Test("each kind has its colours in their places", arguments: shown)
    func shows(row: Row) throws {
        var worker = ImageWorker()
        let variant = try #require(ThumbnailVariant("32x48-cover-q100.jpeg"))
        let thumbnail = try worker.thumbnails(
            of: try Fixtures.bytes("odd/\(row.file)"), as: [variant], limits: limits)[0]
        let pixels = try TestPicture.pixels(thumbnail)
        #expect((pixels.width, pixels.height) == (32, 48))
        let places = [(12, 20), (24, 12), (8, 36), (24, 36)]
        for ((x, y), quadrant) in zip(places, row.quadrants) {
            #expect(
                Difference([pixels.samples[y * 32 + x]], [quadrant]).worst <= row.tolerance,
                "at \(x), \(y): \(pixels.samples[y * 32 + x])")
        }
    }

    static let refused: [(String, ImageError.Reason)] = [
        ("cut-header.jpg", .truncated), ("cut-scan.jpg", .truncated),
        ("cut-progressive.jpg", .truncated), ("no-eoi.jpg", .truncated),
        ("cut-last-byte.jpg", .truncated), ("cut-idat.png", .truncated),
        ("no-iend.png", .truncated), ("crc-idat.png", .corrupt), ("html.jpg", .format),
        ("empty.jpg", .format), ("soi-only.jpg", .format),
        ("claims-49157x27397.jpg", .dimensions), ("claims-0x96.jpg", .empty),
        ("claims-8193x10.jpg", .dimensions), ("claims-more-rows.jpg", .corrupt),
        ("scan-bomb.jpg", .scans), ("scans-101.jpg", .scans),
        ("claims-2147483647.png", .dimensions), ("claims-20000x20000.png", .dimensions),
        ("false-length.png", .truncated),
    ]

    @Test("what is damaged or hostile is refused by name", arguments: refused)
    func refuses(file: String, reason: ImageError.Reason) throws {
        var worker = ImageWorker()
        let bytes = try Fixtures.bytes("odd/\(file)")
        do {
            _ = try worker.verify(bytes, limits: limits)
            Issue.record("\(file) passed")
        } catch { #expect(error.reason == reason, "\(error)") }
    }

    @Test(
        "sides around one block make thumbnails of their own size",
        arguments: [
            ("1x1.jpg", 1, 1), ("1x40.jpg", 1, 40), ("40x1.jpg", 40, 1), ("3x3.jpg", 3, 3),
            ("17x33.jpg", 17, 33), ("1x1.png", 1, 1), ("interlaced-3x3.png", 3, 3),
            ("progressive-61x93.jpg", 61, 93),
        ])
    func small(file: String, width: Int, height: Int) throws {
        var worker = ImageWorker()
        let bytes = try Fixtures.bytes("odd/\(file)")
        #expect(try worker.verify(bytes, limits: limits).width == width)
        for name in ["2000x3000-contain-q82.jpeg", "2000x3000-contain-q82.png"] {
            let variant = try #require(ThumbnailVariant(name))
            let made = try worker.thumbnails(of: bytes, as: [variant], limits: limits)[0]
            let proof = try worker.verify(made, limits: limits)
            #expect((proof.width, proof.height) == (width, height))
        }
    }

    @Test func `every fixture poster is proven, and a thumbnail carries no foreign byte`() throws {
        var worker = ImageWorker()
        let variant = try #require(ThumbnailVariant("60x90-cover-q82.jpeg"))
        for path in Fixtures.posters {
            let bytes = try Fixtures.bytes(path, .w342)
            #expect(try worker.verify(bytes, limits: limits).width == 342)
            let made = try worker.thumbnails(of: bytes, as: [variant], limits: limits)[0]
            #expect(try worker.verify(made, limits: limits).height == 90)
        }
        let marked = try worker.thumbnails(
            of: try Fixtures.bytes("odd/trailing.jpg"), as: [variant], limits: limits)[0]
        #expect(!String(decoding: marked, as: UTF8.self).contains("script"))
    }
}
