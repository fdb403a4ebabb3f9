import Testing

@testable import PosterImages
@testable import PosterKit

@Suite struct ThumbnailGeometryTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let source: (Int, Int)
        let variant: String
        let size: (Int, Int)
        let region: (Double, Double, Double, Double)
        var orientation = Orientation.upright
        var testDescription: String { "\(source) \(orientation) as \(variant)" }
    }

    static let rows: [Row] = [
        Row(
            source: (500, 750), variant: "120x180-cover-q82.jpeg", size: (120, 180),
            region: (0, 0, 500, 750)),
        Row(
            source: (500, 750), variant: "120x120-cover-q82.jpeg", size: (120, 120),
            region: (0, 125, 500, 500)),
        Row(
            source: (500, 750), variant: "50x180-cover-q82.jpeg", size: (50, 180),
            region: (145.83, 0, 208.33, 750)),
        Row(
            source: (500, 750), variant: "120x120-contain-q82.jpeg", size: (80, 120),
            region: (0, 0, 500, 750)),
        Row(
            source: (500, 751), variant: "120x-contain-q82.jpeg", size: (120, 180),
            region: (0, 0, 500, 751)),
        Row(
            source: (500, 750), variant: "x60-contain-q82.jpeg", size: (40, 60),
            region: (0, 0, 500, 750)),
        Row(
            source: (100, 150), variant: "1000x1000-cover-q82.jpeg", size: (100, 100),
            region: (0, 25, 100, 100)),
        Row(
            source: (100, 150), variant: "1000x1000-contain-q82.jpeg", size: (100, 150),
            region: (0, 0, 100, 150)),
        Row(
            source: (100, 150), variant: "1000x-contain-q82.jpeg", size: (100, 150),
            region: (0, 0, 100, 150)),
        Row(
            source: (500, 100), variant: "120x180-cover-q82.jpeg", size: (67, 100),
            region: (216.5, 0, 67, 100)),
        Row(
            source: (1, 1), variant: "120x180-cover-q82.jpeg", size: (1, 1), region: (0, 0, 1, 1)),
        Row(
            source: (1, 3000), variant: "120x180-contain-q82.jpeg", size: (1, 180),
            region: (0, 0, 1, 3000)),
        Row(
            source: (8192, 2), variant: "120x-contain-q82.jpeg", size: (120, 1),
            region: (0, 0, 8192, 2)),
        Row(
            source: (10, 8000), variant: "2000x-contain-q82.jpeg", size: (4, 3000),
            region: (0, 0, 10, 8000)),
        Row(
            source: (750, 500), variant: "120x120-cover-q82.jpeg", size: (120, 120),
            region: (125, 0, 500, 500), orientation: .quarterClockwise),
        Row(
            source: (750, 500), variant: "120x-contain-q82.jpeg", size: (120, 180),
            region: (0, 0, 750, 500), orientation: .transposed),
    ]

    @Test("a box becomes a size and a part of the source", arguments: rows)
    func fits(row: Row) throws {
        let geometry = ThumbnailGeometry(
            try #require(ThumbnailVariant(row.variant)), storedWidth: row.source.0,
            storedHeight: row.source.1, orientation: row.orientation)
        #expect(geometry.width == row.size.0)
        #expect(geometry.height == row.size.1)
        let region = geometry.region
        for (made, wanted) in [
            (region.x, row.region.0), (region.y, row.region.1), (region.width, row.region.2),
            (region.height, row.region.3),
        ] {
            #expect(abs(made - wanted) < 0.01)
        }
    }

    @Test func `a WebP with transparency has a smaller largest size, in the same shape`() throws {
        for (name, source) in [
            ("2000x3000-cover-q82.webp", (4000, 5000)),
            ("2000x3000-contain-q82.webp", (4000, 5000)),
            ("2000x3000-contain-q82.webp", (5000, 300)), ("2000x1200-cover-q82.webp", (2400, 1600)),
            ("120x180-cover-q82.webp", (4000, 5000)),
        ] {
            let variant = try #require(ThumbnailVariant(name))
            func size(isClear: Bool) -> (Int, Int) {
                let made = ThumbnailGeometry(
                    variant, storedWidth: source.0, storedHeight: source.1, orientation: .upright,
                    isClear: isClear)
                return (made.width, made.height)
            }
            let (whole, clear) = (size(isClear: false), size(isClear: true))
            let limit = ThumbnailVariant.maxClearWebPPixels
            #expect(clear.0 * clear.1 <= limit + max(clear.0, clear.1))
            if whole.0 * whole.1 <= limit { #expect(clear == whole) }
            let shapes = (
                Double(whole.0) / Double(whole.1), Double(clear.0) / Double(clear.1)
            )
            #expect(abs(shapes.0 / shapes.1 - 1) < 0.01)
        }
    }

    @Test(
        "the decoder may shrink while two samples a pixel are left",
        arguments: zip(
            ["185x278", "126x188", "125x187", "120x180", "63x94", "62x93", "32x47", "31x46"],
            [1, 1, 2, 2, 2, 4, 4, 8]))
    func reduces(box: String, reduction: Int) throws {
        let geometry = ThumbnailGeometry(
            try #require(ThumbnailVariant("\(box)-cover-q82.jpeg")), storedWidth: 500,
            storedHeight: 750, orientation: .upright)
        #expect(geometry.reduction == reduction)
    }

    @Test func `an odd thumbnail's chroma reaches one pixel beyond the upright edge`() throws {
        let variant = try #require(ThumbnailVariant("5x4-cover-q82.jpeg"))
        let upright = ThumbnailGeometry(
            variant, storedWidth: 50, storedHeight: 40, orientation: .upright)
        #expect(
            upright.region(columns: 2, rows: 2) == .init(x: 0, y: 0, width: 60, height: 40))
        let mirrored = ThumbnailGeometry(
            variant, storedWidth: 50, storedHeight: 40, orientation: .mirrored)
        #expect(
            mirrored.region(columns: 2, rows: 2) == .init(x: -10, y: 0, width: 60, height: 40))
    }
}
