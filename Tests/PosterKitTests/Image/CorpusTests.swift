import Foundation
import Testing

@testable import PosterImages
@testable import PosterKit

/// Public JPEG and PNG files, whole, broken and hostile, which lie beside the project or where
/// `ONESHEET_CORPUS` says, with Pillow's opinion of each in `pillow.tsv`.
///
/// Where Onesheet differs is listed here, by the file's name, and explained in `docs/corpus.md`.
@Suite(.enabled(if: corpus != nil, "no corpus: set ONESHEET_CORPUS"))
struct CorpusTests {
    /// How Onesheet's judgement of a file differs from Pillow's.
    enum Difference: Equatable {
        /// Pillow fails; Onesheet shows it.
        case onlyWeRead
        /// Pillow shows it; Onesheet refuses it.
        case onlyWeRefuse(ImageError.Reason)
        /// Both show it, not in the same size.
        case size(Int, Int)
        /// Both show it, not turned in the same way.
        case orientation(Orientation)
    }

    private struct Opinion {
        let file: String
        let size: (Int, Int)
        let orientation: Orientation
        let decodes: Bool

        var name: String { String(file.split(separator: "/")[1].split(separator: ".")[0]) }

        init?(_ line: Substring) {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard fields.count == 7, fields[0] != "file" else { return nil }
            file = String(fields[0])
            size = (Int(fields[2]) ?? 0, Int(fields[3]) ?? 0)
            orientation = UInt8(fields[5]).flatMap(Orientation.init(rawValue:)) ?? .upright
            decodes = fields[6] == "yes"
        }
    }

    @Test func `every file is shown or refused by name, and no difference is unexplained`() throws {
        let folder = try #require(corpus)
        let table = try String(contentsOfFile: folder + "/pillow.tsv", encoding: .utf8)
        let opinions = table.split(separator: "\n").compactMap(Opinion.init)
        #expect(opinions.count == 921)
        var worker = ImageWorker()
        var found: [String: Difference] = [:]
        for opinion in opinions {
            let bytes = try [UInt8](Data(contentsOf: URL(filePath: "\(folder)/\(opinion.file)")))
            found[opinion.name] = try Self.difference(opinion, bytes, &worker)
        }
        let wanted = onlyWeRead.merging(onlyWeRefuse) { $1 }.merging(shownOtherwise) { $1 }
        for name in Set(found.keys).union(wanted.keys).sorted() {
            #expect(found[name] == wanted[name], "\(name)")
        }
    }

    private static func difference(
        _ opinion: Opinion, _ bytes: [UInt8], _ worker: inout ImageWorker
    ) throws -> Difference? {
        let limits = ImageLimits()
        let variants = ["60x90-cover-q82.jpeg", "40x40-contain-q82.png"].compactMap {
            ThumbnailVariant($0)
        }
        let proof: ImageWorker.Proof
        do throws(ImageError) {
            proof = try worker.verify(bytes, limits: limits)
        } catch {
            #expect(error.reason != .decoder, "\(opinion.file): \(error)")
            return opinion.decodes ? .onlyWeRefuse(error.reason) : nil
        }
        // What is proven can be made small, and what is made is a picture.
        for thumbnail in try worker.thumbnails(of: bytes, as: variants, limits: limits) {
            _ = try worker.verify(thumbnail, limits: limits)
        }
        guard opinion.decodes else { return .onlyWeRead }
        guard (proof.width, proof.height) == opinion.size else {
            return .size(proof.width, proof.height)
        }
        let orientation =
            proof.format == .jpeg
            ? try JPEGWalk(bytes, limits: limits).orientation
            : try PNGWalk(bytes, limits: limits).orientation
        return orientation == opinion.orientation ? nil : .orientation(orientation)
    }
}

private let corpus = Corpus.folder

/// What Pillow refuses and the walk makes harmless, as it is no pixel's business: a palette
/// picture whose other chunks are empty, a comment that inflates to gigabytes, a profile with a
/// wrong checksum.
private let onlyWeRead: [String: CorpusTests.Difference] = [
    "6c6a15489c18": .onlyWeRead, "44a0c3a701ca": .onlyWeRead, "72e07e7136cd": .onlyWeRead,
]

/// What Pillow shows, with a gap or guessed pixels where the file is damaged, and Onesheet refuses:
/// a poster is kept for 30 days, so one that came damaged is fetched again instead.
private let onlyWeRefuse: [String: CorpusTests.Difference] = refusals([
    // Entropy-coded data that end early, run on past the picture, or skip a restart.
    .corrupt: [
        "28cacb7b0c9f", "778c7cc2f38c", "cc8cb5760ffc",
        "3f7e58c2e2fb", "c972fe57aea6", "840624dc2687",
        "3dbceb1b794e", "835756cd905d", "b18d9f918809", "f57f86c36e4d",
        // A wrong checksum of image data, of a chunk or of the whole stream; no palette.
        "071a515faad7", "3c4c4f941a3a", "508183efcf44", "c8a2d600e888",
    ],
    // A segment or chunk that reaches beyond the file, or no end.
    .truncated: ["68e1274d7fc2", "bd04b8195846", "8019468004e3"],
    // 193 × 31237: over the limit of a side.
    .dimensions: ["aaec904bf616"],
])

/// What both show, but not turned alike: PNGs whose orientation stands in a text chunk, as XMP or
/// as ImageMagick writes EXIF. The standard has `eXIf` for it, and browsers read no other.
private let shownOtherwise: [String: CorpusTests.Difference] = [
    "2588b0d99aff": .orientation(.upright), "4c7ef7984a1a": .orientation(.upright),
    "96b90eb1f71d": .orientation(.upright),
]

private func refusals(
    _ names: [ImageError.Reason: [String]]
) -> [String: CorpusTests.Difference] {
    var all: [String: CorpusTests.Difference] = [:]
    for (reason, names) in names {
        for name in names { all[name] = .onlyWeRefuse(reason) }
    }
    return all
}
