import Foundation
import Testing

@testable import PosterBase
@testable import PosterImages
@testable import PosterKit
@testable import PosterPlaceholders

@Suite struct PlaceholderPaletteTests {
    @Test(
        "ink and mark stand out from the whole ground, whatever the seed",
        arguments: PlaceholderRequest.Kind.allCases)
    func contrast(kind: PlaceholderRequest.Kind) {
        for number in 0..<2000 {
            let palette = PlaceholderPalette(seed: "/\(number).jpg", kind: kind)
            for ground in [palette.groundAbove, palette.groundBelow] {
                #expect(ratio(palette.ink, ground) >= 4.5)
                // WCAG 2.2, 1.4.11: what is no text but carries a meaning.
                #expect(ratio(palette.mark, ground) >= 2.0)
            }
        }
    }

    @Test(
        "stands out from a white and a black page",
        arguments: PlaceholderRequest.Kind.allCases)
    func pages(kind: PlaceholderRequest.Kind) {
        for number in 0..<200 {
            let palette = PlaceholderPalette(seed: "/\(number).jpg", kind: kind)
            for ground in [palette.groundAbove, palette.groundBelow] {
                #expect((0.02...0.75).contains(luminance(ground)))
            }
        }
    }

    @Test func `the hue of a seed is the same in every process`() {
        let palette = PlaceholderPalette(seed: "/abc.jpg", kind: .missing)
        #expect(
            palette.groundAbove
                == Color(
                    lightness: 0.40, chroma: 0.055,
                    hue: Double(ContentHash(of: Array("/abc.jpg".utf8)).low % 360)))
        // Written down, because a hash with a seed of the process would pass any comparison here.
        #expect(ContentHash(of: Array("/abc.jpg".utf8)).low == 9_636_444_823_606_129_639)
    }

    @Test func `hues of many seeds lie all around the circle`() {
        let hues = Set(
            (0..<200).map { PlaceholderPalette(seed: "/\($0).jpg", kind: .missing).mark.red })
        #expect(hues.count > 100)
    }

    private func ratio(_ one: Color, _ other: Color) -> Double {
        let (light, dark) = (luminance(one), luminance(other))
        return (max(light, dark) + 0.05) / (min(light, dark) + 0.05)
    }

    /// WCAG 2.2, relative luminance.
    private func luminance(_ color: Color) -> Double {
        func linear(_ channel: Double) -> Double {
            channel <= 0.04045 ? channel / 12.92 : pow((channel + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(color.red) + 0.7152 * linear(color.green)
            + 0.0722 * linear(color.blue)
    }
}
