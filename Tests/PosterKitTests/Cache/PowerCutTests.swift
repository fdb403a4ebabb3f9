import Foundation
import Testing
import TestSupport

@testable import PosterBase
@testable import PosterCache
@testable import PosterKit

@Suite(
    .enabled(if: PowerCut.isPossible, "cutting a file system's power takes root and a loop device"))
struct PowerCutTests {
    private let fixture = CacheFixture()

    /// Cuts the power while a thread writes entries, after so many of them; then the entries that
    /// are found: whole ones, and those that do not pass. `nil` where there is no such kind.
    private func found(
        after count: Int, on kind: PowerCut.Kind = .ext4, syncs: Bool
    ) throws -> (whole: Int, bad: [EntryFault])? {
        guard let disk = PowerCut(kind) else { return nil }
        let path = disk.path + "/cache"
        try write(below: path, syncs: syncs, until: count) {
            // Somebody else's fsync writes the journal, and with it the names of our files.
            let other = open(disk.path + "/other", O_CREAT | O_WRONLY, 0o644)
            #expect(Foundation.write(other, "x", 1) == 1 && fsync(other) == 0)
            close(other)
            #expect(disk.cut())
        }
        try #require(disk.restore())
        let summary = try Verification.run(path, deletesBad: false)
        let cache = try DiskCache(directory: path, log: .silent, metrics: fixture.metrics)
        var whole = 0
        for index in 0..<(count + 200) {
            guard let entry = cache.read(try CacheFixture.poster("Ab\(index)")).entry else {
                continue
            }
            #expect(entry.picture.bytes == CacheFixture.jpeg(9000, seed: UInt8(index % 256)))
            whole += 1
        }
        return (whole, summary.bad.map(\.why))
    }

    /// Writes until the disk is dead, on a thread; `cut` is called after `count` entries.
    private func write(
        below path: String, syncs: Bool, until count: Int, cut: () -> Void
    ) throws {
        let cache = DiskCache(
            try SealedFiles(directory: path, log: .silent, metrics: fixture.metrics, syncs: syncs))
        let written = Monitor(0)
        let pool = WorkerPool<Void>(name: "writer", threads: 1, capacity: 1) {}
        let fixture = fixture
        _ = pool.submit(.live) { _ in
            for index in 0..<(count + 200) {
                let entry = fixture.entry(CacheFixture.jpeg(9000, seed: UInt8(index % 256)))
                do { try cache.write(CacheFixture.poster("Ab\(index)"), entry) } catch { break }
                written.withLock { $0 += 1 }
                written.notifyAll()
            }
            written.withLock { $0 += 1000 }
            written.notifyAll()
        }
        _ = written.wait { $0 >= count ? true : nil }
        cut()
        pool.stop()
    }

    /// With `ONESHEET_POWER_CUTS`, so many cuts of each kind, at moments drawn by lot.
    @Test(
        "a power cut leaves no torn entry",
        arguments: [
            (PowerCut.Kind.ext4, [1, 5, 23, 60]), (.ext4Writeback, [11]), (.xfs, [17]),
        ])
    func cut(kind: PowerCut.Kind, counts: [Int]) throws {
        let wanted = ProcessInfo.processInfo.environment["ONESHEET_POWER_CUTS"].flatMap { Int($0) }
        let moments = wanted.map { (0..<$0).map { _ in Int.random(in: 1...200) } } ?? counts
        var (cuts, entries) = (0, 0)
        for count in moments {
            // Only ext4 is asked for above; the tools of another may be missing.
            guard let (whole, bad) = try found(after: count, on: kind, syncs: true) else { break }
            #expect(bad.isEmpty, "\(kind), after \(count)")
            #expect(whole > 0)
            (cuts, entries) = (cuts + 1, entries + whole)
        }
        #expect(cuts == moments.count || kind == .xfs)
        if wanted != nil { print("\(kind): \(cuts) cuts, \(entries) entries found whole") }
    }

    @Test func `without fsync it does, and none of them is served`() throws {
        let (_, bad) = try #require(try found(after: 40, syncs: false))
        #expect(!bad.isEmpty)
        #expect(bad.allSatisfy { $0 == .empty || $0 == .torn || $0 == .body })
    }
}
