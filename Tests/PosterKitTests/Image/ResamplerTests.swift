import Testing

@testable import PosterImages
@testable import PosterKit

@Suite struct ResamplerTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let source: (Int, Int)
        let target: (Int, Int)
        let region: ThumbnailGeometry.Region
        var testDescription: String { "\(source) to \(target) of \(region)" }

        init(_ source: (Int, Int), _ target: (Int, Int), _ part: [Double]) {
            self.source = source
            self.target = target
            region = .init(x: part[0], y: part[1], width: part[2], height: part[3])
        }
    }

    static let rows = [
        Row((50, 75), (12, 18), [0, 0, 50, 75]), Row((51, 77), (13, 19), [0.5, 0.25, 50, 76.5]),
        Row((40, 30), (40, 30), [0, 0, 40, 30]), Row((20, 20), (7, 11), [3.5, 2.25, 9, 16]),
        Row((9, 9), (9, 18), [0, 0, 9, 9]), Row((5, 4), (3, 2), [-1, 0, 6, 4]),
        Row((1, 1), (1, 1), [0, 0, 1, 1]), Row((1, 300), (1, 7), [0, 0, 1, 300]),
        Row((3, 2), (1, 1), [0, 0, 3, 2]), Row((64, 1), (31, 1), [0, 0, 64, 1]),
        // zimg's AVX-512 code gets these wrong.
        Row((79, 48), (39, 24), [0, 0, 79, 48]), Row((68, 44), (27, 36), [0, 0, 68, 44]),
    ]

    @Test("it agrees with the obvious way to one level", arguments: rows)
    func agrees(row: Row) throws {
        let picture = TestPicture.drawn(width: row.source.0, height: row.source.1)
        let wanted = slowResample(picture, row.region, width: row.target.0, height: row.target.1)
        for channel in 0..<3 {
            let made = try resample(picture, channel, row)
            #expect(Difference(made, wanted.map { [$0[channel]] }).worst <= 1)
        }
    }

    @Test func `one colour stays that colour everywhere`() throws {
        for value: UInt8 in [0, 1, 127, 254, 255] {
            let flat = PixelBuffer(
                width: 33, height: 21, layout: .rgb,
                samples: [UInt8](repeating: value, count: 33 * 21 * 3))
            let made = try resample(flat, 0, Row((33, 21), (10, 9), [-0.7, 0, 34, 21.5]))
            #expect(made.allSatisfy { $0 == [Int(value)] })
        }
    }

    private func resample(
        _ picture: PixelBuffer, _ channel: Int, _ row: Row
    ) throws -> [[Int]] {
        var from = Scratch<UInt8>()
        var to = Scratch<UInt8>()
        let source = SamplePlane(
            aligned: from.reserve(picture.width.aligned * picture.height), width: picture.width,
            height: picture.height)
        for y in 0..<picture.height {
            for x in 0..<picture.width {
                source.base[y * source.pitch + x] =
                    picture.samples[(y * picture.width + x) * 3 + channel]
            }
        }
        let target = SamplePlane(
            aligned: to.reserve(row.target.0.aligned * row.target.1), width: row.target.0,
            height: row.target.1)
        var resampler = Resampler()
        try resampler.resample(source, row.region, into: target)
        return (0..<target.height).flatMap { y in
            (0..<target.width).map { [Int(target.base[y * target.pitch + $0])] }
        }
    }
}
