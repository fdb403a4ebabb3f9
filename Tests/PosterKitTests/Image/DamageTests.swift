import Foundation
import Testing

@testable import PosterImages
@testable import PosterKit

/// Every picture of `fixtures/`, cut and altered: what is cut is refused, what is altered is
/// refused or shown, and nothing traps.
///
/// Places are sampled, evenly and always the same ones. With `ONESHEET_EVERY_BYTE` set it is every
/// length and every byte of every file, which takes hours; with `ONESHEET_EVERY_BYTE=odd` only
/// those of `fixtures/odd`, which takes minutes.
@Suite struct DamageTests {
    private static let extent = ProcessInfo.processInfo.environment["ONESHEET_EVERY_BYTE"]

    /// Pictures below `fixtures/`; of the posters the smallest size, unless all is asked for.
    static let files: [String] = {
        let sizes = extent == nil ? ["w185"] : extent == "odd" ? [] : ["w185", "w342", "w500"]
        do {
            return try (["odd"] + sizes.map { "posters/" + $0 }).flatMap { folder in
                try FileManager.default.contentsOfDirectory(atPath: "\(Fixtures.folder)/\(folder)")
                    .filter { $0.hasSuffix(".jpg") || $0.hasSuffix(".png") }
                    .sorted().map { "\(folder)/\($0)" }
            }
        } catch { fatalError("no fixtures: \(error)") }
    }()

    /// All of a file's places; or its first ones, its last ones and some between.
    private static func places(_ count: Int, sampled: Int) -> [Int] {
        guard extent == nil, count > sampled else { return Array(0..<count) }
        let step = count / sampled + 1
        return Array(0..<4) + stride(from: 4 + count % step, to: count - 2, by: step)
            + [count - 2, count - 1]
    }

    @Test("cut anywhere it is refused", arguments: files)
    func cut(file: String) throws {
        var worker = ImageWorker()
        let whole = try Fixtures.bytes(file)
        for count in Self.places(Self.picture(whole).count, sampled: 60) {
            do throws(ImageError) {
                _ = try worker.verify(Array(whole[..<count]), limits: .init())
                Issue.record("\(count) of \(whole.count) bytes passed")
            } catch { #expect(error.reason != .decoder) }
        }
    }

    @Test("with any byte altered it is refused or shown", arguments: files)
    func altered(file: String) throws {
        var worker = ImageWorker()
        let whole = try Fixtures.bytes(file)
        let variants = ["9x16-cover-q82.jpeg", "9x-contain-q82.png"].compactMap {
            ThumbnailVariant($0)
        }
        for place in Self.places(whole.count, sampled: 20) {
            var bytes = whole
            // One bit, another one from byte to byte, and each fifth time all.
            bytes[place] ^= place % 5 == 4 ? 0xFF : 1 << UInt8(place % 8)
            do throws(ImageError) {
                for made in try worker.thumbnails(of: bytes, as: variants, limits: .init()) {
                    _ = try worker.verify(made, limits: .init())
                }
            } catch { #expect(error.reason != .decoder, "byte \(place): \(error)") }
        }
    }

    /// The bytes up to the end of the picture: what a file holds behind that may be missing.
    private static func picture(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        let (end, rest) =
            ImageFormat(firstBytes: bytes) == .png ? (Array("IEND".utf8), 4) : ([0xFF, 0xD9], 0)
        let starts = bytes.indices.dropLast(end.count - 1 + rest)
        guard let last = starts.last(where: { bytes[$0...].starts(with: end) }) else {
            return bytes[...]
        }
        return bytes[..<(last + end.count + rest)]
    }
}
