import Testing

@testable import PosterImages
@testable import PosterKit

@Suite struct ImageWorkerTests {
    private let limits = ImageLimits()

    @Test(
        "a thumbnail has the colours of an ideal one in the right places",
        arguments: [
            "120x180-cover-q100.jpeg", "61x91-cover-q100.jpeg", "40x40-cover-q100.jpeg",
            "77x-contain-q100.jpeg", "33x60-cover-q100.jpeg", "61x91-cover-q82.png",
            "500x500-contain-q100.jpeg", "120x180-cover-q100.webp", "61x91-cover-q100.webp",
        ])
    func colours(name: String) throws {
        let variant = try #require(ThumbnailVariant(name))
        let drawn = TestPicture.drawn(width: 201, height: 303)
        var worker = ImageWorker()
        let jpeg = try worker.encode(drawn, format: .jpeg, quality: 100)
        let thumbnail = try #require(
            try worker.thumbnails(of: jpeg, as: [variant], limits: limits).first)
        let geometry = ThumbnailGeometry(
            variant, storedWidth: 201, storedHeight: 303, orientation: .upright)
        let pixels = try TestPicture.pixels(thumbnail)
        #expect((pixels.width, pixels.height) == (geometry.width, geometry.height))
        let ideal = slowResample(
            drawn, geometry.region, width: geometry.width, height: geometry.height)
        #expect(Difference(pixels.samples, ideal).mean < 1.5)
    }

    @Test("every orientation gives the upright picture", arguments: Orientation.allCases)
    func orientations(orientation: Orientation) throws {
        // What is stored is the inverse turn of the drawn picture; only the quarter turns differ
        // from their own inverse.
        let drawn = TestPicture.drawn(width: 90, height: 135)
        let inverse: Orientation =
            switch orientation {
            case .quarterClockwise: .quarterAnticlockwise
            case .quarterAnticlockwise: .quarterClockwise
            default: orientation
            }
        let sides = orientation.swapsAxes ? (135, 90) : (90, 135)
        var stored = PixelBuffer(
            width: sides.0, height: sides.1, layout: .rgb,
            samples: [UInt8](repeating: 0, count: drawn.samples.count))
        var from = drawn.samples
        from.withUnsafeMutableBufferPointer { from in
            stored.samples.withUnsafeMutableBufferPointer { to in
                guard let from = from.baseAddress, let to = to.baseAddress else { return }
                inverse.turn(
                    SamplePlane(from, width: 90, height: 135, channels: 3),
                    into: SamplePlane(to, width: sides.0, height: sides.1, channels: 3))
            }
        }
        var worker = ImageWorker()
        let jpeg = TestPicture.jpeg(
            try worker.encode(stored, format: .jpeg, quality: 100),
            orientation: orientation.rawValue)
        for name in [
            "31x45-cover-q100.jpeg", "31x31-cover-q100.jpeg", "31x31-cover-q82.png",
            "31x45-cover-q100.webp",
        ] {
            let variant = try #require(ThumbnailVariant(name))
            let thumbnail = try worker.thumbnails(of: jpeg, as: [variant], limits: limits)[0]
            let pixels = try TestPicture.pixels(thumbnail)
            let geometry = ThumbnailGeometry(
                variant, storedWidth: 90, storedHeight: 135, orientation: .upright)
            #expect((pixels.width, pixels.height) == (geometry.width, geometry.height))
            let ideal = slowResample(
                drawn, geometry.region, width: geometry.width, height: geometry.height)
            #expect(Difference(pixels.samples, ideal).mean < 1.5)
        }
    }

    @Test func `many variants come of one picture, in order`() throws {
        let names = ["60x90-cover-q82.jpeg", "120x180-cover-q82.png", "30x-contain-q50.jpeg"]
        var worker = ImageWorker()
        let thumbnails = try worker.thumbnails(
            of: try TestPicture.jpeg(width: 200, height: 300),
            as: names.compactMap { ThumbnailVariant($0) }, limits: limits)
        let proofs = try thumbnails.map { bytes in try worker.verify(bytes, limits: limits) }
        #expect(proofs.map(\.width) == [60, 120, 30])
        #expect(proofs.map(\.format) == [.jpeg, .png, .jpeg])
    }

    @Test func `transparency is kept in PNG and WebP and stands on a ground in JPEG`() throws {
        var worker = ImageWorker()
        let half = PixelBuffer(
            width: 40, height: 40, layout: .rgba,
            samples: (0..<1600).flatMap { pixel -> [UInt8] in
                pixel % 40 < 20 ? [255, 0, 0, 255] : [0, 255, 0, 0]
            })
        let png = try worker.encode(half, format: .png, quality: 1)
        let variants = [
            "20x20-cover-q100.jpeg", "20x20-cover-q82.png", "20x20-cover-q82.webp",
        ].compactMap { ThumbnailVariant($0) }
        let made = try worker.thumbnails(of: png, as: variants, limits: limits)
        let flat = try TestPicture.pixels(made[0]).samples
        #expect(flat[2][0] > 245 && flat[2][1] < 12)
        // No green from under the transparent half, near the edge or far from it.
        #expect(Difference([flat[17]], [[58, 58, 58]]).worst < 6)
        let kept = try TestPicture.pixels(made[1]).samples
        #expect(kept[2] == [255, 0, 0, 255])
        #expect(kept[17] == [0, 0, 0, 0])
        #expect(kept.allSatisfy { $0[1] == 0 })
        let lossy = try TestPicture.pixels(made[2]).samples
        #expect(lossy.map { $0[3] } == kept.map { $0[3] })
        #expect(Difference([lossy[2]], [[255, 0, 0, 255]]).worst < 6)
        #expect(lossy.allSatisfy { $0[1] < 30 })
    }

    @Test func `drawn pictures of every layout keep their colours`() throws {
        var worker = ImageWorker()
        let layouts: [(PixelBuffer.Layout, [UInt8])] = [
            (.rgb, [200, 100, 50]), (.rgba, [200, 100, 50, 255]), (.bgrx, [50, 100, 200, 0]),
        ]
        for (layout, pixel) in layouts {
            for format in ImageFormat.allCases {
                let buffer = PixelBuffer(
                    width: 8, height: 8, layout: layout,
                    samples: (0..<64).flatMap { _ in pixel })
                let bytes = try worker.encode(buffer, format: format, quality: 100)
                let made = try TestPicture.pixels(bytes).samples[0].prefix(3)
                #expect(Difference([Array(made)], [[200, 100, 50]]).worst <= 3)
            }
        }
    }

    @Test("a picture cut anywhere is refused", arguments: [ImageFormat.jpeg, .png])
    func cut(format: ImageFormat) throws {
        var worker = ImageWorker()
        let whole = try worker.encode(
            TestPicture.drawn(width: 33, height: 27), format: format, quality: 90)
        #expect(try worker.verify(whole, limits: limits).format == format)
        for count in 0..<whole.count {
            let part = Array(whole[..<count])
            do {
                _ = try worker.verify(part, limits: limits)
                Issue.record("\(count) of \(whole.count) bytes passed")
            } catch {}
        }
    }

    @Test("a flipped byte is refused or gives a picture", arguments: [ImageFormat.jpeg, .png])
    func flipped(format: ImageFormat) throws {
        var worker = ImageWorker()
        let whole = try worker.encode(
            TestPicture.drawn(width: 33, height: 27), format: format, quality: 90)
        let variant = try #require(ThumbnailVariant("7x9-cover-q82.jpeg"))
        for index in whole.indices {
            for flip: UInt8 in [0x01, 0x80, 0xFF] {
                var bytes = whole
                bytes[index] ^= flip
                do {
                    let made = try worker.thumbnails(of: bytes, as: [variant], limits: limits)[0]
                    #expect(try worker.verify(made, limits: limits).format == .jpeg)
                } catch {}
            }
        }
    }

    /// How JPEG 2000, JPEG XL (bare and boxed), AVIF, BMP, TIFF, SVG, PDF and an icon begin.
    static let otherFormats: [[UInt8]] = [
        [0, 0, 0, 0x0C, 0x6A, 0x50, 0x20, 0x20, 0x0D, 0x0A, 0x87, 0x0A], [0xFF, 0x4F, 0xFF, 0x51],
        [0xFF, 0x0A, 0xFA, 0x1F], [0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20],
        Array("\0\0\0\u{1C}ftypavif".utf8), Array("BM6\0\0\0".utf8), Array("II*\0".utf8),
        Array("MM\0*".utf8), Array("<svg xmlns=".utf8), Array("%PDF-1.7".utf8), [0, 0, 1, 0],
    ]

    @Test func `a line is a picture, too`() throws {
        var worker = ImageWorker()
        let variants = ["120x180-cover-q82.jpeg", "120x180-contain-q82.png"].compactMap {
            ThumbnailVariant($0)
        }
        for (width, height) in [(1, 3000), (3000, 1), (2, 3)] {
            let bytes = try worker.encode(
                TestPicture.drawn(width: width, height: height), format: .jpeg, quality: 90)
            for made in try worker.thumbnails(of: bytes, as: variants, limits: limits) {
                let proof = try worker.verify(made, limits: limits)
                #expect((1...120).contains(proof.width) && (1...180).contains(proof.height))
            }
        }
    }

    @Test func `the bytes decide the format and too many are refused`() throws {
        var worker = ImageWorker()
        var small = limits
        small.bytes = 7
        let cases: [([UInt8], ImageLimits, ImageError)] =
            [
                ([], limits, .notAnImage(firstBytes: [])),
                (Array("GIF89a".utf8), limits, .notAnImage(firstBytes: Array("GIF89a".utf8))),
                (Array("RIFF\0\0\0\0WEBPVP8 ".utf8), limits, .unsupported("WebP")),
                (Array("<html>no".utf8), small, .tooManyBytes(8, limit: 7)),
            ] + Self.otherFormats.map { ($0, limits, .notAnImage(firstBytes: Array($0.prefix(8)))) }
        for (bytes, limits, wanted) in cases {
            do {
                _ = try worker.verify(bytes, limits: limits)
                Issue.record("\(bytes) passed")
            } catch { #expect(error == wanted) }
        }
    }

    @Test func `planes of odd sides touch nothing beside them`() throws {
        // TurboJPEG rounds a luma plane up to what its chroma planes cover: for 4:2:0 one column
        // and one row more than the picture has. Half of 62 × 58 is 31 × 29.
        var worker = ImageWorker()
        let flat = PixelBuffer(
            width: 62, height: 58, layout: .rgb,
            samples: (0..<62 * 58).flatMap { _ in [200, 60, 20] as [UInt8] })
        let jpeg = try worker.encode(flat, format: .jpeg, quality: 100)
        var decoder = JPEGDecoder()
        for reduction in [1, 2, 4, 8] {
            let picture = try decoder.decode(
                jpeg, JPEGWalk(jpeg, limits: limits), reduction: reduction)
            for (plane, wanted) in zip(picture.planes, [97.3, 84.4, 201.3]) {
                let samples = plane.samples
                for y in 0..<samples.height {
                    for x in 0..<samples.width {
                        let sample = Double(samples.base[y * samples.pitch + x])
                        #expect(abs(sample - wanted) < 2)
                    }
                }
            }
        }
    }
}
