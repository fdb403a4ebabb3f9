import Foundation
import Testing

@testable import PosterKit

/// Public JPEG and PNG files, whole, broken and hostile, which lie beside the project or where
/// `ONESHEET_CORPUS` says, with a second opinion on each in `pillow.tsv`.
@Suite(.enabled(if: corpus != nil, "no corpus: set ONESHEET_CORPUS"))
struct CorpusTests {
    private struct Opinion {
        let file: String
        let format: String
        let width: Int
        let height: Int
        let decodes: Bool

        var name: String { String(file.split(separator: "/")[1].split(separator: ".")[0]) }

        init?(_ line: Substring) {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard fields.count == 7, fields[0] != "file" else { return nil }
            file = String(fields[0])
            format = String(fields[1])
            width = Int(fields[2]) ?? 0
            height = Int(fields[3]) ?? 0
            decodes = fields[6] == "yes"
        }
    }

    @Test func `every file gives a thumbnail or a named refusal, and sizes agree`() throws {
        let folder = try #require(corpus)
        let table = try String(contentsOfFile: folder + "/pillow.tsv", encoding: .utf8)
        let opinions = table.split(separator: "\n").compactMap(Opinion.init)
        #expect(opinions.count > 900)
        var worker = ImageWorker()
        let limits = ImageLimits()
        let variants = ["60x90-cover-q82.jpeg", "40x40-contain-q82.png"].compactMap {
            ThumbnailVariant($0)
        }
        for opinion in opinions {
            let bytes = try [UInt8](Data(contentsOf: URL(filePath: "\(folder)/\(opinion.file)")))
            do throws(ImageError) {
                let proof = try worker.verify(bytes, limits: limits)
                let made = try worker.thumbnails(of: bytes, as: variants, limits: limits)
                for thumbnail in made { _ = try worker.verify(thumbnail, limits: limits) }
                if opinion.decodes {
                    #expect((proof.width, proof.height) == (opinion.width, opinion.height))
                } else {
                    #expect(onlyWeRead.contains(opinion.name), "\(opinion.file) passed")
                }
            } catch {
                if opinion.decodes {
                    #expect(onlyWeRefuse[opinion.name] == error.reason, "\(opinion.file): \(error)")
                }
            }
        }
    }
}

private let corpus: String? = {
    let beside = Fixtures.folder + "/../../shared/corpus"
    let folder = ProcessInfo.processInfo.environment["ONESHEET_CORPUS"] ?? beside
    return FileManager.default.fileExists(atPath: folder + "/pillow.tsv") ? folder : nil
}()

/// What Pillow refuses and the walk makes harmless: a palette picture of one pixel whose other
/// chunks are empty, a comment that inflates to gigabytes, and a profile with a wrong checksum.
/// None of these chunks is a pixel's business.
private let onlyWeRead: Set<String> = ["6c6a15489c18", "44a0c3a701ca", "72e07e7136cd"]

/// What Pillow shows, with a gap or guessed pixels where the file is damaged, and Onesheet refuses:
/// a poster is kept for 30 days, so one that came damaged is fetched again instead.
private let onlyWeRefuse: [String: ImageError.Reason] = [
    // Entropy-coded data that end early, run on past the picture, or skip a restart.
    "073c65076d56": .corrupt, "28cacb7b0c9f": .corrupt, "4714d469f7e0": .corrupt,
    "778c7cc2f38c": .corrupt, "cc8cb5760ffc": .corrupt, "3f7e58c2e2fb": .corrupt,
    "c972fe57aea6": .corrupt, "840624dc2687": .corrupt,
    // Bytes between two segments that belong to neither.
    "3dbceb1b794e": .corrupt, "4a10fec95a3b": .corrupt, "835756cd905d": .corrupt,
    "b18d9f918809": .corrupt, "f57f86c36e4d": .corrupt, "40a9c0505bc1": .corrupt,
    "972981013e32": .corrupt, "c0a1a6834f84": .corrupt, "eeac40c1b6df": .corrupt,
    // A segment or chunk that reaches beyond the file, or no end.
    "68e1274d7fc2": .truncated, "bd04b8195846": .truncated, "8019468004e3": .truncated,
    // 193 × 31237: over the limit of a side.
    "aaec904bf616": .dimensions,
    // A wrong checksum of image data, of a chunk or of the whole stream; a palette that is missing.
    "071a515faad7": .corrupt, "3c4c4f941a3a": .corrupt, "508183efcf44": .corrupt,
    "c8a2d600e888": .corrupt,
]
