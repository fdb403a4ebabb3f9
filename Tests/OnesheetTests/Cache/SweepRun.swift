import Amodb
import Foundation
import Testing
import TestSupport

@testable import FixtureOrigin
@testable import PosterBase
@testable import PosterCache
@testable import PosterImages
@testable import PosterKit

/// One run of the program on a disk that fails, and what is found afterwards.
final class SweepRun {
    private let job: FaultSweepTests.Job
    private var program = BuiltProgram()
    private let origin: Origin
    private let poster: EntryKey
    private let thumbnail: EntryKey
    private let now = Timestamp.now()

    private static let name = "AbCdEf.jpg"
    private static let listPath = "/3/trending/movie/week"
    /// Two posters, as upstream had and has it.
    private static let pictures = ["4TFKq9oZdZdLjWMVeN5RCQxoCeR", "0sb5zxbVWZY6dcKnx20oNGhNNzn"]

    init(_ job: FaultSweepTests.Job) throws {
        self.job = job
        let path = try PosterPath("/\(Self.name)")
        poster = .poster(path, .w185)
        thumbnail = .thumbnail(path, try ThumbnailVariant(width: 30, height: 45))
        origin = try Origin(key: "k")
        origin.put(
            "/t/p/w185/\(Self.name)", try Self.picture(job == .refresh ? 0 : 1),
            headers: [("ETag", job == .refresh ? "\"0\"" : "\"1\"")])
        origin.put(Self.listPath, Array(#"{"results":[]}"#.utf8))
        try prepare()
    }

    deinit { origin.stop() }

    private static func picture(_ index: Int) throws -> [UInt8] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../fixtures/posters/w185").standardizedFileURL
        return [UInt8](
            try Data(contentsOf: folder.appendingPathComponent(pictures[index] + ".jpg")))
    }

    private func open(_ metrics: CacheMetrics = CacheMetrics()) throws -> DiskCache {
        try DiskCache(directory: program.cache, log: .silent, metrics: metrics)
    }

    private func entry(_ index: Int, daysOld: Int64) throws -> CacheEntry {
        let then = now - .seconds(daysOld * 86_400)
        let picture = Picture(bytes: try Self.picture(index), format: .jpeg, made: then)
        return CacheEntry(
            picture: picture, validated: then, validators: Validators(entityTag: "\"\(index)\""),
            source: ContentHash(of: try Self.picture(0)))
    }

    /// The cache before the run.
    private func prepare() throws {
        switch job {
        case .store, .list: return
        case .refresh, .replace:
            let cache = try open()
            try cache.write(poster, entry(0, daysOld: 31))
            try cache.write(thumbnail, entry(0, daysOld: 31))
        case .prune:
            let cache = try open()
            try cache.write(poster, entry(0, daysOld: 31))
            try cache.write(thumbnail, entry(0, daysOld: 31))
            for name in ["Young", "Abel"] {
                try cache.write(
                    .poster(try PosterPath("/\(name).png"), .w185), entry(1, daysOld: 2))
            }
            try ListCache(directory: program.cache, log: .silent, metrics: CacheMetrics()).write(
                "/old", .init(body: [0x7B, 0x7D], fetched: now - .seconds(90_000)))
        }
    }

    private func run(_ faults: [String: String] = [:]) throws -> BuiltProgram.Outcome {
        program.environment = [
            "ONESHEET_CACHE_DIR": program.cache, "ONESHEET_IMAGE_BASE": origin.imageBase,
            "ONESHEET_API_BASE": origin.apiBase, "AMODB_KEY": "k",
        ].merging(faults) { $1 }
        switch job {
        case .prune: return try program.run("prune")
        case .list: return try program.run("prefetch", "--list", "trending/movie/week")
        case .store, .refresh, .replace:
            return try program.run(
                ["prefetch", "--from", "-", "--sizes", "w185", "--thumbs", "30x45"],
                input: "/\(Self.name)\n")
        }
    }

    private func faults(
        at number: Int, _ kind: String, _ calls: FaultyDisk.Calls = .changes
    ) throws -> (environment: [String: String], log: String) {
        let log = program.directory.path + "/calls"
        return (
            try FaultyDisk.environment(
                below: program.cache, at: number, kind, calls, log: log), log
        )
    }

    /// Runs with the N-th call failing, looks at what is left, and runs again without a fault.
    /// `false` when there was no N-th call.
    func fail(at number: Int, _ kind: FaultyDisk.Kind) throws -> Bool {
        let (environment, log) = try faults(at: number, kind.rawValue)
        let outcome = try run(environment)
        guard FaultyDisk.count(in: log) >= number else { return false }
        let place: Comment =
            "\(job.rawValue), call \(number), \(kind.rawValue): \(outcome.messages)"
        #expect(outcome.status == -SIGKILL || !kind.isDeath || kind == .torn, place)
        #expect(outcome.status >= 0 || kind.isDeath, place)
        try checkIntact(place)
        if !kind.isDeath {
            #expect(leftovers().count <= (job == .prune ? 0 : 1), place)
        }
        let second = try run()
        #expect(second.status == 0, place)
        try checkDone(place)
        return true
    }

    /// Runs on a disk whose every change fails from the N-th on: the pictures come nevertheless.
    func serveUncached(from number: Int, _ kind: String) throws {
        let faults = try faults(at: number, kind).environment
        program.environment = ["ONESHEET_IMAGE_BASE": origin.imageBase].merging(faults) { $1 }
        let outcome = try program.run(
            "get", "--cache-dir", program.cache, "--size", "w185", "/\(Self.name)")
        #expect(outcome.status == 0, "\(kind): \(outcome.messages)")
        #expect(try outcome.output == Self.picture(1), "\(kind)")
        try checkIntact("\(kind)")
    }

    /// Runs with the N-th read failing: whatever comes of it, nothing is gone.
    func failRead(at number: Int, _ kind: String) throws -> Bool {
        let (environment, log) = try faults(at: number, kind, .reads)
        let outcome = try run(environment)
        guard FaultyDisk.count(in: log) >= number else { return false }
        #expect(outcome.status >= 0, "read \(number), \(kind)")
        let cache = try open()
        for key in [poster, thumbnail] {
            guard case .entry = cache.read(key) else {
                Issue.record("read \(number), \(kind): \(key) is gone; \(outcome.messages)")
                continue
            }
        }
        return true
    }

    /// Whatever lies in an entry's place is whole, and one of the two pictures.
    private func checkIntact(_ place: Comment) throws {
        let metrics = CacheMetrics()
        let cache = try open(metrics)
        if case .entry(let entry) = cache.read(poster) {
            let isOne = try (0...1).contains { try Self.picture($0) == entry.picture.bytes }
            #expect(isOne, place)
        }
        _ = cache.read(thumbnail)
        for reason in EntryFault.allCases { #expect(metrics.badEntries[reason] == 0, place) }
        let verified = try Verification.run(program.cache, deletesBad: false)
        #expect(verified.bad.isEmpty, place)
    }

    /// The cache is as if nothing had failed, but for files that a death left, which go in time.
    private func checkDone(_ place: Comment) throws {
        let cache = try open()
        switch job {
        case .prune:
            let folder = program.cache + "/posters/w185"
            let shards = try FileManager.default.subpathsOfDirectory(atPath: folder)
            #expect(
                Set(shards.filter { $0.hasSuffix("g") }) == ["Yo/Young.png", "Ab/Abel.png"], place)
        case .list:
            let folder = try FileManager.default.contentsOfDirectory(
                atPath: program.cache + "/lists")
            #expect(folder.count == 1, place)
        case .store, .refresh, .replace:
            for key in [poster, thumbnail] {
                guard case .entry(let entry) = cache.read(key),
                    case .fresh = entry.freshness(now: .now(), maxAge: .seconds(30 * 86_400))
                else {
                    Issue.record("\(key) is not fresh: \(place)")
                    continue
                }
                let wanted = try Self.picture(job == .refresh ? 0 : 1)
                #expect(key != poster || entry.picture.bytes == wanted, place)
            }
        }
        let later = Timestamp.now() + .seconds(3700)
        _ = try Prune.run(program.cache, .init(maxAge: .seconds(40 * 86_400)), now: later)
        #expect(leftovers().isEmpty, place)
    }

    private func leftovers() -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: program.cache + "/tmp")) ?? []
    }
}
