import CWebP
import Testing

@testable import PosterImages
@testable import PosterKit
@testable import PosterPlaceholders

/// Placeholders that are drawn before they are needed.
@Suite struct GenericPlaceholdersTests {
    private let generics = GenericPlaceholders()

    @Test(arguments: ImageFormat.allCases)
    func `there is one for every box, in its format and close to its shape`(
        format: ImageFormat
    ) throws {
        generics.prepare()
        for (width, height) in [
            (1, 1), (1, 3000), (2000, 1), (60, 90), (120, 180), (342, 513), (2000, 3000),
            (100, 100), (400, 225), (1920, 1080),
        ] {
            let request = try PlaceholderRequest(
                width: width, height: height, kind: .missing, title: "x", format: format)
            let picture = try #require(generics.picture(for: request))
            #expect(picture.format == format)
            #expect(ImageFormat(firstBytes: picture.bytes) == format)
            #expect(try picture.bytes == #require(generics.picture(for: request)).bytes)
        }
    }

    @Test func `the choice is upright for posters, across for stills, and large enough`() {
        for (box, expected) in [
            ((60, 90), (92, 138)), ((120, 180), (185, 278)), ((342, 513), (342, 513)),
            ((2000, 3000), (500, 750)), ((100, 100), (185, 185)), ((300, 310), (500, 500)),
            ((160, 90), (300, 169)), ((1920, 1080), (780, 439)), ((1, 3000), (92, 138)),
        ] {
            let nearest = GenericPlaceholders.nearest(width: box.0, height: box.1)
            #expect(nearest == expected, "\(box)")
        }
    }
}
