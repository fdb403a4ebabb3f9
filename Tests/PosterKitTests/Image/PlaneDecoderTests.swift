import Foundation
import Testing

@testable import PosterImages
@testable import PosterKit

/// The fast way to decode planes beside libjpeg-turbo's own: never another picture, never one where
/// the library refuses.
@Suite(.enabled(if: PlaneDecoder.mismatch == nil, "the fast decoder is off"))
struct PlaneDecoderTests {
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
        try expectSame(try Fixtures.bytes(file))
    }

    @Test(
        "what refining scans say inside an end-of-band run is read",
        .enabled(if: Trial.folder != nil, "no trial: set ONESHEET_TRIAL"),
        arguments: try Trial.files(in: "refine"))
    func refining(file: String) throws {
        try expectSame(try Trial.bytes(file))
    }

    private func expectSame(_ bytes: [UInt8]) throws {
        for reduction in DecodedSamples.reductions(try JPEGWalk(bytes, limits: .init())) {
            let library = try #require(DecodedSamples.library(bytes, reduction))
            let fast = try #require(
                DecodedSamples.fast(bytes, reduction, as: library),
                "1/\(reduction) was left to the library")
            #expect(fast == library, "1/\(reduction)")
        }
    }

    @Test(
        "what it cannot read is left to the library, and counted by why",
        arguments: [
            ("arithmetic", .arithmetic), ("cmyk-adobe", .color), ("rgb", .color),
            ("sampled-1x4", .sampling), ("scans-apart-twice", .scan),
        ] as [(String, JPEGFallback)])
    func doubt(name: String, reason: JPEGFallback) throws {
        let metrics = ImageMetrics()
        var decoder = JPEGDecoder(metrics: metrics)
        let bytes = try Fixtures.bytes("odd/\(name).jpg")
        _ = try? decoder.decode(bytes, JPEGWalk(bytes, limits: .init()), reduction: 1)
        let counted = JPEGFallback.allCases.filter { metrics.jpegFallbacks[$0] > 0 }
        #expect(counted == [reason] && metrics.fastJPEGDecodes.value == 0)
    }

    @Test("a band that comes again with fewer bits is the library's")
    func bandAgain() throws {
        let metrics = ImageMetrics()
        let bytes = try Fixtures.bytes("regressions/band-again-with-fewer-bits.jpg")
        let library = try #require(DecodedSamples.library(bytes, 1))
        #expect(DecodedSamples.fast(bytes, 1, as: library) == nil)
        var decoder = JPEGDecoder(metrics: metrics)
        _ = try decoder.decode(bytes, JPEGWalk(bytes, limits: .init()), reduction: 1)
        #expect(metrics.jpegFallbacks[.scan] == 1)
    }

    @Test("a restart marker out of order, and many data left over, are left to the library")
    func disorder() throws {
        var restart = try Fixtures.bytes("odd/restart.jpg")
        let second = try #require(
            restart.indices.first { restart[$0...].starts(with: [0xFF, 0xD1]) })
        restart[second + 1] = 0xD5
        let whole = try Fixtures.bytes("odd/420.jpg")
        let surplus: [UInt8] =
            whole[..<(whole.count - 2)] + Array(repeating: 0x55, count: JPEGRepairs.strayBytes + 1)
            + [0xFF, 0xD9]
        for (bytes, reason) in [(restart, JPEGFallback.marker), (surplus, .data)] {
            let metrics = ImageMetrics()
            var decoder = JPEGDecoder(metrics: metrics)
            _ = try? decoder.decode(bytes, JPEGWalk(bytes, limits: .init()), reduction: 1)
            #expect(metrics.jpegFallbacks[reason] == 1)
        }
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
            guard let library = DecodedSamples.library(bytes, 2) else {
                // Planes of another size must be as safe to refuse.
                let planes = try #require(DecodedSamples.library(whole, 2))
                #expect(DecodedSamples.fast(bytes, 2, as: planes) == nil, "byte \(place)")
                continue
            }
            guard let fast = DecodedSamples.fast(bytes, 2, as: library) else { continue }
            seen += 1
            #expect(fast == library, "byte \(place)")
        }
        #expect(seen > 0)
    }
}
