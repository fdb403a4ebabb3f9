import CWebP
import Testing

@testable import PosterImages
@testable import PosterKit
@testable import PosterPlaceholders

/// A placeholder is drawn with as many pixels as 20 ms of CPU allow: in its own size, or smaller in
/// the same proportions.
@Suite struct PlaceholderSizeTests {
    /// Every corner, and sizes from the whole space.
    private static let sizes: [(width: Int, height: Int)] = {
        var random = SystemRandomNumberGenerator()
        let corners = [1, 2, 1000, 2000].flatMap { width in
            [1, 2, 1500, 3000].map { (width, $0) }
        }
        return corners
            + (0..<3000).map { _ in
                (
                    Int.random(in: 1...ThumbnailVariant.maxWidth, using: &random),
                    Int.random(in: 1...ThumbnailVariant.maxHeight, using: &random)
                )
            }
    }()

    @Test(
        "keeps its proportions and uses what is allowed", arguments: ImageFormat.allCases)
    func drawn(format: ImageFormat) throws {
        let limit = PlaceholderRequest.maxPixels(format)
        for (width, height) in Self.sizes {
            let asked = try PlaceholderRequest(
                width: width, height: height, kind: .missing, title: "Up", seed: "s",
                format: format)
            let drawn = asked.drawn
            #expect(drawn.drawn == drawn)
            guard width * height > limit else {
                #expect(drawn == asked)
                continue
            }
            #expect(drawn.width * drawn.height <= limit)
            // One more column and row would be all of them, or too many.
            #expect((drawn.width + 1) * (drawn.height + 1) >= limit)
            // The height that the drawn width would have, to a pixel of width.
            let exact = Double(drawn.width) * Double(height) / Double(width)
            #expect(abs(exact - Double(drawn.height)) <= 1 + Double(height) / Double(width))
            #expect(drawn.title == asked.title && drawn.seed == asked.seed)
        }
    }

    @Test("the picture has the drawn size", arguments: ImageFormat.allCases)
    func picture(format: ImageFormat) throws {
        let request = try PlaceholderRequest(
            width: 2000, height: 3000, kind: .unavailable, title: "Metropolis", format: format)
        var worker = ImageWorker()
        let bytes = try worker.placeholder(request)
        let drawn = request.drawn
        if format == .webp {
            var (width, height) = (Int32(0), Int32(0))
            #expect(WebPGetInfo(bytes, bytes.count, &width, &height) != 0)
            #expect((Int(width), Int(height)) == (drawn.width, drawn.height))
        } else {
            let proof = try worker.verify(bytes, limits: ImageLimits())
            #expect((proof.width, proof.height) == (drawn.width, drawn.height))
        }
    }

    @Test func `a quality above the default one changes nothing`() throws {
        var worker = ImageWorker()
        let bytes = try [82, 90, 100].map { quality in
            try worker.placeholder(
                PlaceholderRequest(
                    width: 120, height: 180, kind: .missing, title: "Stalker", quality: quality))
        }
        #expect(Set(bytes).count == 1)
    }
}
