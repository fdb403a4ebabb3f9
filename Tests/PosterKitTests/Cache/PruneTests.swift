import Amodb
import Foundation
import Testing
import TestSupport

@testable import PosterBase
@testable import PosterCache
@testable import PosterKit

@Suite struct PruneTests {
    private let fixture = CacheFixture()
    private let month = Duration.seconds(30 * 86_400)
    private let day: Int64 = 86_400

    /// Writes a poster or thumbnail of about `size` bytes with these times.
    private func add(
        _ key: EntryKey, size: Int = 4000, daysOld: Int64 = 1, usedSecondsAgo: Int64 = 60
    ) throws {
        try fixture.open().write(key, fixture.entry(CacheFixture.jpeg(size)))
        fixture.setAge(key.description, modified: daysOld * day, accessed: usedSecondsAgo)
    }

    private func prune(
        _ change: (inout Prune.Policy) -> Void = { _ in }
    ) throws -> (summary: Prune.Summary, deleted: Set<String>) {
        var policy = Prune.Policy(maxAge: month)
        change(&policy)
        var deleted: [String] = []
        let summary = try Prune.run(fixture.path, policy, now: fixture.now) { deleted.append($0) }
        #expect(Set(deleted).count == deleted.count)
        #expect(summary.deleted == deleted.count)
        return (summary, Set(deleted))
    }

    private func entries() -> Set<String> {
        Set(fixture.home.files().map { String($0.dropFirst("cache/".count)) })
            .subtracting([CacheTag.name, PruneRecord.name])
    }

    @Test func `what is thirty days old goes and nothing else`() throws {
        let kept = try [
            CacheFixture.poster("Young", .w185), CacheFixture.poster("Old", .w500),
            CacheFixture.thumbnail("Young"), CacheFixture.poster("x"),
        ]
        let old = try [
            CacheFixture.poster("Old", .w342), CacheFixture.thumbnail("Old"),
            CacheFixture.poster("y"),
        ]
        for key in kept { try add(key, daysOld: 29) }
        for key in old { try add(key, daysOld: 30) }
        let (summary, deleted) = try prune()
        #expect(deleted == Set(old.map(\.description)))
        #expect(entries() == Set(kept.map(\.description)))
        // Its folder is empty now, and gives its inode back.
        #expect(!fixture.exists("posters/w342/y"))
        #expect(fixture.exists("posters/w185/Yo"))
        #expect(summary.examined == 7)
        #expect(summary.bytesFreed > 3 * 4000)
        #expect(summary.bytesLeft > 4 * 4000)
        #expect(summary.failures.isEmpty && summary.foreign == 0)
    }

    @Test func `a dry run names what the real one deletes and deletes nothing`() throws {
        for index in 0..<12 {
            try add(
                CacheFixture.poster("P\(index)", PosterSize.allCases[index % 3]),
                daysOld: Int64(index) * 4, usedSecondsAgo: Int64(index % 5) * 100)
            try add(
                CacheFixture.thumbnail("P\(index)"), size: 900,
                daysOld: Int64(index) * 4, usedSecondsAgo: Int64(index % 3) * 100)
            try add(
                CacheFixture.poster("P\(index)", .w500),
                daysOld: Int64(index) * 4, usedSecondsAgo: Int64(index % 4) * 100)
        }
        let before = entries()
        let dry = try prune { ($0.isDryRun, $0.maxBytes) = (true, 40_000) }
        #expect(entries() == before)
        let real = try prune { $0.maxBytes = 40_000 }
        #expect(dry.deleted == real.deleted)
        #expect(dry.summary == real.summary)
        #expect(entries() == before.subtracting(real.deleted))
        #expect(real.summary.bytesLeft <= 40_000)
    }

    @Test func `over a size what was used longest ago goes first`() throws {
        for index in 0..<10 {
            try add(CacheFixture.poster("P\(index)"), usedSecondsAgo: Int64((index * 7) % 10))
        }
        let size = try prune().summary.bytesLeft
        let (summary, deleted) = try prune { $0.maxBytes = size * 7 / 10 }
        // Those used 9, 8 and 7 seconds ago.
        let oldest = try [7, 4, 1].map { try CacheFixture.poster("P\($0)").description }
        #expect(deleted == Set(oldest))
        #expect(summary.bytesLeft <= size * 7 / 10)
    }

    @Test func `of entries used at one moment no more go than must`() throws {
        for index in 0..<10 { try add(CacheFixture.poster("P\(index)")) }
        let size = try prune().summary.bytesLeft
        #expect(try prune { $0.maxBytes = size / 2 }.deleted.count == 5)
    }

    @Test func `a thumbnail in use keeps its poster, and goes before it`() throws {
        try add(CacheFixture.poster("Kept"), usedSecondsAgo: 5000)
        try add(CacheFixture.thumbnail("Kept"), size: 10, usedSecondsAgo: 1)
        try add(CacheFixture.poster("Gone"), usedSecondsAgo: 100)
        try add(CacheFixture.thumbnail("Gone"), size: 10, usedSecondsAgo: 10)
        let order = try [
            CacheFixture.thumbnail("Gone"), CacheFixture.poster("Gone"),
            CacheFixture.thumbnail("Kept"), CacheFixture.poster("Kept"),
        ].map(\.description)
        for count in 0...4 {
            let (summary, deleted) = try prune { ($0.maxEntries, $0.isDryRun) = (4 - count, true) }
            #expect(deleted == Set(order.prefix(count)))
            #expect(summary.entriesLeft == 4 - count)
        }
    }

    @Test func `free space that an empty cache would not give deletes nothing`() throws {
        for index in 0..<3 { try add(CacheFixture.poster("P\(index)")) }
        #expect(try prune { $0.minFreeBytes = 1 }.deleted.isEmpty)
        let (summary, deleted) = try prune { $0.minFreeBytes = 1 << 60 }
        #expect(deleted.isEmpty && summary.entriesLeft == 3)
        #expect(!summary.isComplete && summary.unmet.count == 2)
    }

    @Test func `temporary files go after an hour and strange ones never`() throws {
        _ = try fixture.open()
        let own = "tmp/onesheet-12-fe"
        for name in [own, "tmp/other", "tmp/onesheet-x-1", "tmp/onesheet-1-2.jpg"] {
            try Data("x".utf8).write(to: URL(fileURLWithPath: "\(fixture.path)/\(name)"))
        }
        // Its mtime is the entry's, and says nothing of the file.
        fixture.setAge(own, modified: 40 * day, accessed: 0)
        #expect(try prune().deleted.isEmpty)
        let later = Timestamp.now() + .seconds(3601)
        var deleted: [String] = []
        let summary = try Prune.run(fixture.path, Prune.Policy(maxAge: month), now: later) {
            deleted.append($0)
        }
        #expect(deleted == [own])
        #expect(summary.foreign == 3)
    }

    @Test func `a list goes after a day`() throws {
        let lists = try ListCache(directory: fixture.path, log: .silent, metrics: fixture.metrics)
        for (request, hours) in [("/a", 23), ("/b", 25)] {
            try lists.write(
                request,
                ListCache.Kept(
                    body: Array("{}".utf8), fetched: fixture.now - .seconds(hours * 3600)))
        }
        #expect(try prune().deleted == ["lists/\(SealedPlace(list: "/b").name)"])
        #expect(lists.read("/a") != nil && lists.read("/b") == nil)
    }

    @Test func `a second prune is refused while the first runs`() throws {
        try add(CacheFixture.poster("Old"), daysOld: 31)
        var refusals = 0
        _ = try Prune.run(fixture.path, Prune.Policy(maxAge: month), now: fixture.now) { _ in
            #expect(throws: Prune.Refusal.locked) { try self.prune() }
            refusals += 1
        }
        #expect(refusals == 1)
        #expect(try prune().deleted.isEmpty)
    }

    @Test func `what is no cache is refused`() throws {
        #expect(throws: Prune.Refusal.notACache(fixture.path)) { try prune() }
        try FileManager.default.createDirectory(
            atPath: fixture.path + "/posters", withIntermediateDirectories: true)
        #expect(throws: Prune.Refusal.notOurs(fixture.path)) { try prune() }
        try FileManager.default.removeItem(atPath: fixture.path + "/posters")
        #expect(throws: Prune.Refusal.notACache(fixture.path)) { try prune() }
        _ = try fixture.open()
        #expect(try prune().deleted.isEmpty)
    }

    @Test func `an entry that was renewed or replaced since it was looked at stays`() throws {
        let key = try CacheFixture.poster("Old")
        try add(key, daysOld: 31)
        let folder = try #require(
            try CacheDirectory(existing: fixture.path).folder(SealedPlace(key).folders))
        let before = try #require(try folder.status(key.path.fileName))
        let cache = try fixture.open()
        let entry = try #require(cache.read(key).entry)
        #expect(try cache.renew(key, entry, at: fixture.now))
        #expect(try !EntryRemoval.remove(key.path.fileName, ifStill: before, in: folder))
        try cache.write(key, entry)
        #expect(try !EntryRemoval.remove(key.path.fileName, ifStill: before, in: folder))
        #expect(cache.read(key).entry != nil)
    }

    @Test func `nobody removes while somebody replaces`() throws {
        let key = try CacheFixture.poster("Old")
        try add(key, daysOld: 31)
        let folder = try #require(
            try CacheDirectory(existing: fixture.path).folder(SealedPlace(key).folders))
        let status = try #require(try folder.status(key.path.fileName))
        let isRemoved = try EntryRemoval.withSharedLock(in: folder) { () throws(FileError) in
            try EntryRemoval.remove(key.path.fileName, ifStill: status, in: folder)
        }
        #expect(!isRemoved)
        #expect(try EntryRemoval.remove(key.path.fileName, ifStill: status, in: folder))
    }

    @Test func `whoever replaces gets in between two slices of a removal of many`() throws {
        let keys = try (0..<5).map { try CacheFixture.poster("Old\($0)") }
        for key in keys { try add(key, daysOld: 31) }
        let folder = try #require(
            try CacheDirectory(existing: fixture.path).folder(SealedPlace(keys[0]).folders))
        let victims = try keys.map { key in
            let status = try folder.status(key.path.fileName)
            return EntryRemoval.Victim(name: key.path.fileName, status: try #require(status))
        }
        func canReplace() -> Bool {
            do {
                return try folder.withLock(alone: false) { outcome in
                    if case .held = outcome { true } else { false }
                }
            } catch { return false }
        }
        var (whileRemoved, between) = ([Bool](), [Bool]())
        EntryRemoval.remove(
            victims, in: folder, slice: .zero, rest: { between.append(canReplace()) },
            outcome: { _, outcome in
                #expect(outcome == .success(.removed))
                whileRemoved.append(canReplace())
            })
        #expect(whileRemoved == Array(repeating: false, count: 5))
        #expect(between == Array(repeating: true, count: 4))
    }

    @Test func `planted and foreign things stay and are counted`() throws {
        try add(CacheFixture.poster("Old"), daysOld: 31)
        try add(CacheFixture.poster("Other"), daysOld: 1)
        let outside = fixture.home.path + "/outside.jpg"
        try Data("mine".utf8).write(to: URL(fileURLWithPath: outside))
        let shard = fixture.path + "/posters/w342/Ol"
        let manager = FileManager.default
        try manager.createSymbolicLink(
            atPath: shard + "/OldLink.jpg", withDestinationPath: outside)
        try manager.createSymbolicLink(
            atPath: fixture.path + "/posters/w342/Zz", withDestinationPath: shard)
        try manager.createDirectory(
            atPath: shard + "/OldFolder.jpg", withIntermediateDirectories: false)
        #expect(mkfifo(shard + "/OldPipe.jpg", 0o644) == 0)
        for name in [
            "posters/w342/Ol/Old.svg", "posters/w342/Ol/Elsewhere.jpg",
            "posters/w342/Ol/.Old.jpg.swp",
            "posters/w342/Ol/Old.jpg~", "posters/w342/stray.jpg", "posters/README", "stray",
        ] {
            let path = "\(fixture.path)/\(name)"
            try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
            fixture.setAge(name, modified: 99 * day, accessed: 99 * day)
        }
        let (summary, deleted) = try prune { $0.maxBytes = 0 }
        #expect(
            deleted == [
                try CacheFixture.poster("Old").description,
                try CacheFixture.poster("Other").description,
            ])
        #expect(summary.foreign == 11)
        #expect(summary.failures.isEmpty)
        #expect(entries().count == 1 + 7 + 2)
        #expect(
            fixture.exists("posters/w342/Zz") && fixture.exists("posters/w342/Ol/OldFolder.jpg"))
        #expect(try String(contentsOfFile: outside, encoding: .utf8) == "mine")
    }

    @Test func `names that a walk takes are those that keys have`() throws {
        let shards = ["", "A", "Ab", "Abc", "..", "-_", "A/"]
        let names = [
            "A.jpg", "Ab.jpg", "AbC.png", "AbC.jpeg", "AbC.gif", "AbC", ".jpg", "Ab.jpg.jpg",
            "-_.jpg", "-_9.png", "Ab c.jpg", "Äb.jpg", String(repeating: "A", count: 128) + ".jpg",
            "Ab" + String(repeating: "A", count: 127) + ".jpg", "..jpg", "Ab.JPG", "Ab.jpg\n",
        ]
        for shard in shards {
            for name in names {
                let isKey = EntryKey("posters/w342/\(shard)/\(name)") != nil
                let isTaken =
                    EntryKey.isShard(shard)
                    && EntryKey.isFileName(name, inShard: Array(shard.utf8))
                #expect(isKey == isTaken, "\(shard)/\(name)")
            }
        }
    }
}
