import Testing

@testable import Benchmarks
@testable import PosterImages
@testable import PosterKit

/// The bombs that `Benchmarks hostile` measures, but for those that take seconds to make: each is
/// refused for its own reason, or is harmless and shown.
@Suite struct HostilePictureTests {
    static let answers: [(String, ImageError.Reason?)] = [
        ("scan-bomb", .scans), ("101-scans", .scans), ("65500x65500", .dimensions),
        ("30000x30000", .dimensions), ("49157x27397", .dimensions), ("1x65500", .dimensions),
        ("8193x10", .dimensions), ("20MP-and-a-row", .dimensions), ("20MP-baseline", .corrupt),
        ("20MP-progressive", .corrupt), ("20MP-arithmetic", .dimensions),
        ("100-APP1-of-64kB", nil), ("255-ICC-parts", nil), ("2147483647-wide", .dimensions),
        ("1000001-wide", .dimensions), ("200000x200000-1bit", .dimensions),
        ("20000x20000-RGBA", .dimensions), ("20000x20000-Adam7", .dimensions),
        ("20MP-RGBA", .corrupt), ("20MP-RGBA-16bit", .dimensions), ("eXIf-of-4MB", nil),
        ("5000-tEXt", nil), ("false-length", .truncated),
        ("one-byte-IDATs", nil), ("50MB-too-many", .corrupt), ("2-scans-of-20MP-CMYK", .dimensions),
    ]

    @Test("a bomb is refused by name, or shown", arguments: answers)
    func answer(name: String, reason: ImageError.Reason?) throws {
        let picture = try #require(HostilePicture.all.first { $0.name == name })
        var worker = ImageWorker()
        do throws(ImageError) {
            _ = try worker.verify(picture.make(), limits: .init())
            #expect(reason == nil, "\(name) passed")
        } catch { #expect(error.reason == reason, "\(name): \(error)") }
    }
}
