import Testing

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
    ]

    @Test("it agrees with the obvious way to one level", arguments: rows, [1, 3, 4])
    func agrees(row: Row, channels: Int) throws {
        let drawn = TestPicture.drawn(width: row.source.0, height: row.source.1)
        var samples = drawn.samples
        if channels != 3 {
            samples = []
            for pixel in 0..<drawn.width * drawn.height {
                samples += drawn.samples[3 * pixel..<3 * pixel + 3]
                samples.append(UInt8(pixel % 251))
            }
        }
        let picture = PixelBuffer(
            width: drawn.width, height: drawn.height, layout: channels == 3 ? .rgb : .rgba,
            samples: samples)
        let wanted = slowResample(
            picture, row.region, width: row.target.0, height: row.target.1)
        let made = resample(picture, channels, row)
        let difference = Difference(
            made, channels == 1 ? wanted.map { [$0[1]] } : wanted)
        #expect(difference.worst <= 1)
    }

    @Test func `one colour stays that colour everywhere`() {
        for value: UInt8 in [0, 1, 127, 254, 255] {
            let flat = PixelBuffer(
                width: 33, height: 21, layout: .rgb,
                samples: [UInt8](repeating: value, count: 33 * 21 * 3))
            let made = resample(flat, 3, Row((33, 21), (10, 9), [-0.7, 0, 34, 21.5]))
            #expect(made.allSatisfy { $0 == [Int(value), Int(value), Int(value)] })
        }
    }

    /// One channel: the second of each pixel.
    private func resample(_ picture: PixelBuffer, _ channels: Int, _ row: Row) -> [[Int]] {
        let step = picture.layout.bytesPerPixel
        var from =
            channels == 1
            ? stride(from: 1, to: picture.samples.count, by: step).map { picture.samples[$0] }
            : picture.samples
        var to = [UInt8](repeating: 0, count: row.target.0 * row.target.1 * channels)
        var resampler = Resampler()
        from.withUnsafeMutableBufferPointer { from in
            to.withUnsafeMutableBufferPointer { to in
                guard let from = from.baseAddress, let to = to.baseAddress else { return }
                resampler.resample(
                    SamplePlane(
                        from, width: picture.width, height: picture.height, channels: channels),
                    row.region,
                    into: SamplePlane(
                        to, width: row.target.0, height: row.target.1, channels: channels))
            }
        }
        return (0..<row.target.0 * row.target.1).map { pixel in
            (0..<channels).map { Int(to[pixel * channels + $0]) }
        }
    }
}
