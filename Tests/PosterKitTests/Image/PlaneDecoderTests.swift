import Foundation
import Testing

@testable import PosterKit

/// The fast way to decode planes beside libjpeg-turbo's own: never another picture, never one where
/// the library refuses.
@Suite struct PlaneDecoderTests {
    private static let posters: [String] = {
        do {
            return try FileManager.default.contentsOfDirectory(
                atPath: "\(Fixtures.folder)/posters/w185"
            ).sorted().map { "posters/w185/\($0)" }
        } catch { fatalError("no fixtures: \(error)") }
    }()

    private static let kinds = [
        "1x1", "1x40", "3x3", "17x33", "40x1", "411", "420", "422", "440", "444", "exif-6", "grey",
        "photo", "progressive", "progressive-61x93", "restart", "scans-100",
        "scans-apart", "trailing",
    ].map { "odd/\($0).jpg" }

    @Test("every sample of every kind of picture is the library's", arguments: posters + kinds)
    func samples(file: String) throws {
        let bytes = try Fixtures.bytes(file)
        let walk = try JPEGWalk(bytes, limits: .init())
        // Of a picture smaller than two samples TurboJPEG chooses a factor of its own.
        for reduction in [1, 2, 4, 8]
        where reduction == 1 || min(walk.width, walk.height) >= 2 * reduction {
            let library = try #require(try Self.library(bytes, reduction))
            let fast = try #require(
                Self.fast(bytes, reduction, as: library), "1/\(reduction) was left to the library")
            #expect(fast == library.map(\.samples), "1/\(reduction)")
        }
    }

    @Test(
        "what it cannot read is left to the library",
        arguments: ["arithmetic", "cut-scan", "scans-apart-twice"])
    func doubt(name: String) throws {
        let whole = try #require(try Self.library(try Fixtures.bytes("odd/420.jpg"), 1))
        let bytes = try Fixtures.bytes("odd/\(name).jpg")
        #expect(Self.fast(bytes, 1, as: whole) == nil)
    }

    @Test(
        "a picture with an altered byte is the library's, or refused as by the library",
        arguments: ["420", "444", "grey", "progressive-61x93", "restart", "17x33"].map {
            "odd/\($0).jpg"
        } + posters.prefix(4))
    func altered(file: String) throws {
        let whole = try Fixtures.bytes(file)
        var seen = 0
        for place in stride(from: 2, to: whole.count, by: max(1, whole.count / 100)) {
            var bytes = whole
            // One bit, another one from byte to byte, and each fifth time all.
            bytes[place] ^= place % 5 == 4 ? 0xFF : 1 << UInt8(place % 8)
            guard let library = try Self.library(bytes, 2) else {
                // Planes of another size must be as safe to refuse.
                let planes = try #require(try Self.library(whole, 2))
                #expect(Self.fast(bytes, 2, as: planes) == nil, "byte \(place)")
                continue
            }
            guard let fast = Self.fast(bytes, 2, as: library) else { continue }
            seen += 1
            #expect(fast == library.map(\.samples), "byte \(place)")
        }
        #expect(seen > 0)
    }

    private struct Plane {
        let width: Int
        let height: Int
        let samples: [UInt8]
    }

    /// What the library alone makes of a picture; `nil` when it refuses.
    private static func library(_ bytes: [UInt8], _ reduction: Int) throws -> [Plane]? {
        var decoder = JPEGDecoder(isFast: false)
        do throws(ImageError) {
            let walk = try JPEGWalk(bytes, limits: .init())
            return try decoder.decode(bytes, walk, reduction: reduction).planes.map {
                let (plane, width) = ($0.samples, $0.samples.width * $0.samples.channels)
                return Plane(
                    width: width, height: plane.height,
                    samples: (0..<plane.height).flatMap {
                        UnsafeBufferPointer(start: plane.base + $0 * plane.pitch, count: width)
                    })
            }
        } catch { return nil }
    }

    /// What the fast decoder makes of it; `nil` when it leaves it to the library.
    private static func fast(
        _ bytes: [UInt8], _ reduction: Int, as planes: [Plane]
    ) -> [[UInt8]]? {
        var decoder = PlaneDecoder()
        var memory = Scratch<UInt8>()
        let sizes = planes.map { $0.width.aligned * ($0.height + PlaneDecoder.rowsBeyond) }
        let base = memory.reserve(sizes.reduce(0, +))
        let targets = zip(planes, planes.indices).map { plane, index in
            SamplePlane(
                aligned: base + sizes[..<index].reduce(0, +), width: plane.width,
                height: plane.height)
        }
        guard decoder.decode(bytes, reduction: reduction, into: targets) else { return nil }
        return targets.map { plane in
            (0..<plane.height).flatMap {
                UnsafeBufferPointer(start: plane.base + $0 * plane.pitch, count: plane.width)
            }
        }
    }
}
