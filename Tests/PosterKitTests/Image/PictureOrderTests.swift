import Foundation
import PictureGenerator
import Testing

@testable import PosterBase
@testable import PosterImages
@testable import PosterKit

/// A verdict and a picture depend on the picture's bytes alone: not on what the same worker's
/// codecs saw before, nor on the thread.
@Suite struct PictureOrderTests {
    /// A JPEG without its segments of one kind.
    private static func jpeg(_ whole: [UInt8], without marker: UInt8) -> [UInt8] {
        var (bytes, position) = (Array(whole[..<2]), 2)
        while whole[position + 1] != 0xDA {
            let end = position + 2 + Int(whole[position + 2]) << 8 + Int(whole[position + 3])
            if whole[position + 1] != marker { bytes += whole[position..<end] }
            position = end
        }
        return bytes + whole[position...]
    }

    private static let variants = [
        "60x90-cover-q82.jpeg", "40x-contain-q82.png", "60x60-cover-q70.webp",
    ].compactMap { ThumbnailVariant($0) }

    /// All that a worker makes of a picture, or why it refuses it.
    private enum Outcome: Equatable {
        case made(Tint?, [[UInt8]])
        case refused(ImageError)
    }

    private static func outcome(
        _ bytes: [UInt8], _ worker: inout ImageWorker, as variants: [ThumbnailVariant] = variants
    ) -> Outcome {
        do throws(ImageError) {
            var tint: Tint?
            let proof = try worker.verify(bytes, limits: .init()) { tint = $0 }
            guard !variants.isEmpty, proof.width * proof.height <= 1_000_000 else {
                return .made(tint, [])
            }
            return .made(tint, try worker.thumbnails(of: bytes, as: variants, limits: .init()))
        } catch { return .refused(error) }
    }

    @Test("a JPEG without quantisation tables is refused, whatever came before it")
    func quantisationTables() throws {
        var worker = ImageWorker()
        for file in ["odd/420.jpg", "odd/grey.jpg", "odd/progressive.jpg", "odd/rgb.jpg"] {
            let whole = try Fixtures.bytes(file)
            _ = try worker.verify(whole, limits: .init())
            #expect(throws: ImageError.self, "\(file)") {
                _ = try worker.verify(Self.jpeg(whole, without: 0xDB), limits: .init())
            }
        }
    }

    @Test("a JPEG without Huffman tables has the standard ones, whatever came before it")
    func huffmanTables() throws {
        // Encoded with the tables of T.81, annex K, which it may then leave out.
        let whole = try TestPicture.jpeg(width: 60, height: 90)
        let bare = Self.jpeg(whole, without: 0xC4)
        #expect(bare.count < whole.count - 400)
        var fresh = ImageWorker()
        let wanted = Self.outcome(whole, &fresh)
        var worker = ImageWorker()
        #expect(Self.outcome(bare, &worker) == wanted)
        for file in ["odd/photo.jpg", "odd/progressive.jpg", "odd/rgb.jpg", "odd/grey.jpg"] {
            _ = try worker.verify(try Fixtures.bytes(file), limits: .init())
            #expect(Self.outcome(bare, &worker) == wanted, "after \(file)")
        }
    }

    /// All small pictures at hand: the odd ones, some of the posters, and the trial's.
    private static func pictures() throws -> [(name: String, bytes: [UInt8])] {
        var pictures: [(name: String, bytes: [UInt8])] = []
        for folder in ["odd", "regressions", "posters/w185"] {
            let names = try FileManager.default.contentsOfDirectory(
                atPath: "\(Fixtures.folder)/\(folder)"
            ).sorted()
            for name in folder == "posters/w185" ? Array(names.prefix(8)) : names {
                pictures.append((name, try Fixtures.bytes("\(folder)/\(name)")))
            }
        }
        for file in ["odd/420.jpg", "odd/grey.jpg", "odd/progressive.jpg"] {
            let whole = try Fixtures.bytes(file)
            for marker: UInt8 in [0xC4, 0xDB] {
                pictures.append(
                    ("\(file) without \(marker)", jpeg(whole, without: marker)))
            }
        }
        let plain = try TestPicture.jpeg(width: 60, height: 90)
        pictures.append(("standard tables left out", jpeg(plain, without: 0xC4)))
        var generator = PictureGenerator(seed: 11, longestSide: 60)
        for number in 0..<40 { pictures.append(("generated \(number)", generator.next().bytes)) }
        for kind in ["leak", "refine", "refusals", "walk"] {
            for file in try Trial.files(in: kind) {
                pictures.append((file, try Trial.bytes(file)))
            }
        }
        return pictures
    }

    @Test("ten random orders on one worker and on two change nothing", arguments: [1, 2])
    func orders(workers: Int) throws {
        try expectSame(try Self.pictures(), as: Self.variants, on: workers)
    }

    @Test(
        "nor do they change what public files are taken for",
        .enabled(if: Corpus.folder != nil, "no corpus: set ONESHEET_CORPUS"), arguments: [1, 2])
    func corpus(workers: Int) throws {
        let folder = try #require(Corpus.folder)
        let names =
            FileManager.default.enumerator(atPath: folder)?
            .compactMap { $0 as? String }
            .filter { $0.contains("/") }.sorted() ?? []
        #expect(names.count > 900)
        let pictures = try names.map { name in
            (name, try [UInt8](Data(contentsOf: URL(filePath: "\(folder)/\(name)"))))
        }
        // Their proof alone: thumbnails of a thousand pictures take minutes.
        try expectSame(pictures, as: [], on: workers)
    }

    private func expectSame(
        _ pictures: [(name: String, bytes: [UInt8])], as variants: [ThumbnailVariant],
        on workers: Int
    ) throws {
        let wanted = pictures.map { picture in
            var fresh = ImageWorker()
            return Self.outcome(picture.bytes, &fresh, as: variants)
        }
        let pool = PixelPool(threads: workers)
        defer { pool.stop() }
        var random = SplitMix64(seed: UInt64(workers))
        for order in 0..<10 {
            let differing = Monitor<[String]>([])
            let done = DispatchGroup()
            for index in pictures.indices.shuffled(using: &random) {
                done.enter()
                let isQueued = pool.submit(.live) { worker in
                    let outcome = Self.outcome(pictures[index].bytes, &worker, as: variants)
                    if outcome != wanted[index] {
                        differing.withLock { $0.append(pictures[index].name) }
                    }
                    done.leave()
                }
                try #require(isQueued)
            }
            done.wait()
            #expect(differing.withLock { $0 } == [], "order \(order) of seed \(workers)")
        }
    }
}
