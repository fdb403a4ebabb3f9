import Amodb
import Foundation
import Testing
import TestSupport

@testable import PosterCache
@testable import PosterKit

/// A cache on an overlay, as in a container: its files lie in a layer below until they change.
@Suite(.enabled(if: SmallDisk.isPossible, "mounting a file system takes root"))
struct OverlayTests {
    private let fixture = CacheFixture()

    /// Lays an overlay over what the fixture's cache has.
    private func mounted(on disk: SmallDisk) -> String? {
        for folder in ["upper", "work", "merged"] { mkdir("\(disk.path)/\(folder)", 0o755) }
        let options =
            "lowerdir=\(fixture.home.path),upperdir=\(disk.path)/upper,workdir=\(disk.path)/work"
        let merged = disk.path + "/merged"
        return mount("overlay", merged, "overlay", 0, options) == 0 ? merged : nil
    }

    @Test func `entries of the layer below are read, renewed, replaced and pruned`() throws {
        let keys = try (0..<5).map { try CacheFixture.poster("Ab\($0)") }
        let filling = try fixture.open()
        let old = fixture.entry(daysOld: 31)
        for key in keys { try filling.write(key, old) }
        let disk = try #require(SmallDisk("size=4m"))
        guard let merged = mounted(on: disk) else { return }
        defer { umount2(merged, Int32(MNT_DETACH)) }
        let path = merged + "/cache"
        let metrics = CacheMetrics()
        let cache = try DiskCache(directory: path, log: .silent, metrics: metrics)
        for key in keys { #expect(cache.read(key).entry?.validated == old.validated) }
        cache.noteUse(of: keys[0], now: fixture.now + .seconds(7200))
        #expect(cache.read(keys[0]).entry != nil)
        #expect(try cache.renew(keys[1], old, at: fixture.now))
        let read = try #require(cache.read(keys[1]).entry)
        #expect(read.validated == fixture.now)
        if case .changed = cache.standing(of: keys[1], read) {
            Issue.record("it counts as changed")
        }
        let new = fixture.entry(CacheFixture.jpeg(seed: 9))
        try cache.write(keys[2], new)
        #expect(cache.read(keys[2]).entry?.picture.hash == new.picture.hash)
        var flipped = try fixture.contents(keys[3])
        flipped[700] ^= 1
        try Data(flipped).write(to: URL(fileURLWithPath: "\(path)/\(keys[3])"))
        #expect(cache.read(keys[3]).isAbsent)
        #expect(metrics.badEntries[.body] == 1)
        let policy = Prune.Policy(maxAge: .seconds(30 * 86_400))
        var gone: [String] = []
        let summary = try Prune.run(path, policy, now: fixture.now) { gone.append($0) }
        #expect(Set(gone) == Set([keys[0], keys[4]].map(\.description)))
        #expect(summary.failures.isEmpty && summary.foreign == 0)
        #expect(cache.read(keys[4]).isAbsent)
        #expect(cache.read(keys[1]).entry != nil && cache.read(keys[2]).entry != nil)
        #expect(try Verification.run(path, deletesBad: false).bad.isEmpty)
        // What lies below is as it was.
        #expect(keys.allSatisfy { fixture.exists($0.description) })
        #expect(cache.healthIssue == nil)
    }
}
