import Testing

@testable import PosterImages
@testable import PosterKit

@Suite struct TintTests {
    private func tint(
        _ width: Int, _ height: Int, _ format: ImageFormat = .jpeg,
        pixel: (_ x: Int, _ y: Int) -> [UInt8]
    ) throws -> Tint {
        var samples: [UInt8] = []
        for y in 0..<height { for x in 0..<width { samples += pixel(x, y) } }
        var worker = ImageWorker()
        let bytes = try worker.encode(
            PixelBuffer(width: width, height: height, layout: .rgb, samples: samples),
            format: format, quality: 95)
        return try worker.tint(of: bytes, limits: ImageLimits())
    }

    private static let colors: [[UInt8]] = [
        [200, 30, 60], [0, 0, 0], [255, 255, 255], [20, 90, 200], [128, 128, 128],
    ]

    @Test(
        "a picture of one colour has that colour", arguments: colors, [ImageFormat.jpeg, .png])
    func plain(color: [UInt8], format: ImageFormat) throws {
        for (width, height) in [(1, 1), (60, 90), (185, 278)] {
            let tint = try tint(width, height, format) { _, _ in color }
            for (got, wanted) in zip([tint.red, tint.green, tint.blue], color) {
                #expect(abs(Int(got) - Int(wanted)) <= 3)
            }
        }
    }

    @Test func `the colourful part decides the hue, all of it the lightness`() throws {
        let tint = try tint(80, 120) { _, y in y < 90 ? [20, 20, 20] : [230, 30, 30] }
        #expect(tint.red > tint.green + 60 && tint.red > tint.blue + 60)
        #expect(tint.red < 160)
    }

    @Test func `is written as CSS reads it`() {
        #expect(Tint(red: 0, green: 10, blue: 255).description == "#000aff")
    }

    @Test func `bytes that are no picture have none`() throws {
        var worker = ImageWorker()
        #expect(throws: ImageError.self) {
            try worker.tint(of: Array("GIF89a".utf8), limits: ImageLimits())
        }
    }
}
