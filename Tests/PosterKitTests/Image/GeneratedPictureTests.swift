import PictureGenerator
import Testing

@testable import PosterImages
@testable import PosterKit

/// Pictures that no engineer chose, each compared with what libjpeg-turbo alone makes of it:
/// sample for sample, at every reduction, and none of them left to the library.
@Suite(.enabled(if: PlaneDecoder.mismatch == nil, "the fast decoder is off"))
struct GeneratedPictureTests {
    @Test("a picture drawn from a seed is the library's", arguments: 1...8 as ClosedRange<UInt64>)
    func drawn(seed: UInt64) throws {
        var generator = PictureGenerator(seed: seed, longestSide: 72)
        for number in 0..<50 {
            try expectSame(generator.next(), "picture \(number) of seed \(seed)")
        }
    }

    @Test("runs of 32,767 blocks are read as the library reads them")
    func longRuns() throws {
        var generator = PictureGenerator(seed: 5)
        try expectSame(generator.nextWithLongRuns(), "long runs")
    }

    @Test("a seed gives the same pictures every time")
    func repeated() {
        var (one, other) = (PictureGenerator(seed: 9), PictureGenerator(seed: 9))
        for _ in 0..<5 { #expect(one.next().bytes == other.next().bytes) }
    }

    private func expectSame(_ picture: PictureGenerator.Picture, _ name: String) throws {
        let place: Comment = "\(name): \(picture.summary)"
        let walk = try JPEGWalk(picture.bytes, limits: .init())
        for reduction in DecodedSamples.reductions(walk) {
            let library = try #require(DecodedSamples.library(picture.bytes, reduction), place)
            let fast = try #require(
                DecodedSamples.fast(picture.bytes, reduction, as: library), place)
            #expect(fast == library, place)
        }
    }
}
