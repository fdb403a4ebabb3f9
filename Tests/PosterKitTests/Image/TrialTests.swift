import CTurboJPEG
import Foundation
import Testing

@testable import PosterImages
@testable import PosterKit

/// Pictures that version 0.1 got wrong, each with the answer that its page gives.
@Suite(.enabled(if: Trial.folder != nil, "no trial: set ONESHEET_TRIAL")) struct TrialTests {
    private let whole = ThumbnailVariant("2000x3000-contain-q82.png")

    @Test(
        "what was refused or read otherwise than libjpeg-turbo reads it has its colours",
        arguments: [
            "refusals/jfif2.jpg", "refusals/adobe-transform-2-three-channels.jpg",
            "walk/adobe0-then1-after-scan.jpg", "walk/exif6-after-scan.jpg",
            "walk/rgbids-jfif12.jpg", "leak/ordinary.jpg", "leak/ordinary-optimized.jpg",
            "leak/ordinary-rgb-optimized.jpg",
        ])
    func colors(file: String) throws {
        let bytes = try Trial.bytes(file)
        var worker = ImageWorker()
        let made = try worker.thumbnails(of: bytes, as: [try #require(whole)], limits: .init())
        let (shown, right) = (try TestPicture.pixels(made[0]), try Self.decodedByTheLibrary(bytes))
        #expect(shown.width == right.width && shown.height == right.height)
        // The two make finer chroma of coarse by other filters.
        #expect(Difference(shown.samples, right.pixels).mean < 1.5)
    }

    @Test func `tables of one picture are not those of the next`() throws {
        let limits = ImageLimits()
        let broken = try Trial.bytes("leak/broken-no-dqt.jpg")
        let ordinary = try Trial.bytes("leak/ordinary.jpg")
        var bare = JPEGParts(ordinary)
        bare.parts.removeAll { $0.marker == 0xC4 }
        let variants = [try #require(whole)]
        var worker = ImageWorker()
        let wanted = try worker.thumbnails(of: ordinary, as: variants, limits: limits)
        for name in try Trial.files(in: "leak") where !name.contains("broken") {
            _ = try worker.verify(try Trial.bytes(name), limits: limits)
            #expect(throws: ImageError.self) { try worker.verify(broken, limits: limits) }
            let made = try worker.thumbnails(of: bare.bytes, as: variants, limits: limits)
            #expect(made == wanted, "without Huffman tables, after \(name)")
        }
    }

    @Test func `a profile that inflates whole is kept without its stream's end`() throws {
        let bytes = try Trial.bytes("walk/broken_iccp-displayp3.png")
        #expect(try PNGWalk(bytes, limits: .init()).profile != nil)
        var worker = ImageWorker()
        let variants = [try #require(whole)]
        let made = try worker.thumbnails(of: bytes, as: variants, limits: .init())
        #expect(try PNGWalk(made[0], limits: .init()).profile != nil)
    }

    private static func decodedByTheLibrary(
        _ bytes: [UInt8]
    ) throws -> (width: Int, height: Int, pixels: [[Int]]) {
        let handle = tjInitDecompress()
        defer { tjDestroy(handle) }
        var (width, height, sampling, space) = (Int32(0), Int32(0), Int32(0), Int32(0))
        // A warning, as for JFIF 2, is told as an error and leaves the picture whole.
        _ = tjDecompressHeader3(
            handle, bytes, UInt(bytes.count), &width, &height, &sampling, &space)
        try #require(width > 0 && height > 0)
        var samples = [UInt8](repeating: 0, count: Int(width * height * 3))
        _ = tjDecompress2(
            handle, bytes, UInt(bytes.count), &samples, width, 0, height,
            Int32(TJPF_RGB.rawValue), 0)
        let picture = PixelBuffer(
            width: Int(width), height: Int(height), layout: .rgb, samples: samples)
        return (Int(width), Int(height), picture.pixels)
    }
}
