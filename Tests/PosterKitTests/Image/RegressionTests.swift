import Foundation
import Testing

@testable import PosterImages
@testable import PosterKit

/// Pictures that once did harm or came out wrong, `fixtures/regressions`: each is shown or refused
/// as it must be.
@Suite struct RegressionTests {
    /// What each must get; `nil`: it is shown.
    static let answers: [(file: String, reason: ImageError.Reason?)] = [
        // libpng inflated all of it, a gigabyte for a megabyte.
        ("behind-the-last-row.png", .corrupt),
        // libpng wrote beyond its buffer, and rows in wrong places.
        ("interlaced-16bit.png", nil),
        // A decoder drew 20 megapixels of grey from two bytes.
        ("arithmetic-grey-nothing.jpg", .dimensions),
        // A decoder kept 80 million coefficients.
        ("four-components-kept.jpg", .dimensions),
        // The fast decoder refined coefficients that had their low bits already.
        ("band-again-with-fewer-bits.jpg", nil),
        // The fast decoder showed what the library's way refuses: stray bytes, and brightness far out
        // of range.
        ("stray-bytes-and-large-dc-sequential.jpg", .corrupt),
        ("stray-bytes-and-large-dc-progressive.jpg", .corrupt),
    ]

    private static let folder = Fixtures.folder + "/regressions"

    @Test func `every file has its answer here`() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder)
        #expect(files.sorted() == Self.answers.map(\.file).sorted())
    }

    @Test("each is shown, or refused for its reason", arguments: answers)
    func answer(file: String, reason: ImageError.Reason?) throws {
        let bytes = try Fixtures.bytes("regressions/\(file)")
        let variants = ["32x48-cover-q82.jpeg", "40x-contain-q82.png", "9x9-cover-q82.webp"]
            .compactMap { ThumbnailVariant($0) }
        var worker = ImageWorker()
        for _ in 0..<2 {
            do throws(ImageError) {
                _ = try worker.verify(bytes, limits: .init())
                _ = try worker.tint(of: bytes, limits: .init())
                let made = try worker.thumbnails(of: bytes, as: variants, limits: .init())
                #expect(made.count == 3 && reason == nil, "\(file) passed")
            } catch { #expect(error.reason == reason, "\(error)") }
        }
    }

    @Test func `interlaced rows of 16 bits lie where they belong`() throws {
        let card = [[200, 40, 40], [40, 160, 60], [40, 60, 200], [230, 200, 40]]
        let pixels = try TestPicture.pixels(Fixtures.bytes("regressions/interlaced-16bit.png"))
        let wanted = (0..<64 * 96).map { (pixel: Int) -> [Int] in
            let (x, y) = (pixel % 64, pixel / 64)
            return card[x / 32 + y / 48 * 2]
        }
        #expect(Difference(pixels.samples, wanted).worst == 0)
    }
}
