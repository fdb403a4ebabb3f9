import Amodb
import Foundation
import Testing
import TestSupport

@testable import PosterBase
@testable import PosterCache
@testable import PosterImages
@testable import PosterKit

/// What a prune leaves alone, tells, makes up for, and gives back.
@Suite struct PruneLimitsTests {
    private let fixture = CacheFixture()
    private let month = Duration.seconds(30 * 86_400)
    private static let day: Int64 = 86_400

    @discardableResult
    private func add(
        _ name: String, daysOld: Int64 = 1, usedDaysAgo: Int64 = 0, _ size: PosterSize = .w342
    ) throws -> EntryKey {
        let key = try CacheFixture.poster(name, size)
        try fixture.openUnsynced().write(key, fixture.entry())
        fixture.setAge(
            key.description, modified: daysOld * Self.day, accessed: usedDaysAgo * Self.day)
        return key
    }

    private func prune(
        _ change: (inout Prune.Policy) -> Void = { _ in }
    ) throws -> Prune.Summary {
        var policy = Prune.Policy(maxAge: month)
        change(&policy)
        return try Prune.run(fixture.path, policy, now: fixture.now)
    }

    /// Runs `body` while another process replaces an entry in a folder for as long as it likes.
    private func whileTaken(_ key: EntryKey, _ body: () throws -> Void) throws {
        let folder = (fixture.file(key) as NSString).deletingLastPathComponent
        let file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(file) }
        #expect(flock(file, LOCK_SH | LOCK_NB) == 0)
        try body()
    }

    @Test func `a folder whose lock stays taken is told, and the rest is pruned`() throws {
        let taken = try add("Ab", daysOld: 31)
        let other = try add("Cd", daysOld: 31)
        try add("Ef")
        try whileTaken(taken) {
            let summary = try prune()
            #expect(summary.deleted == 1 && !summary.isComplete)
            #expect(summary.failures.map(\.code) == [EWOULDBLOCK])
            #expect(summary.failures.first?.path.hasSuffix("posters/w342/Ab") == true)
            #expect(fixture.exists(taken.description) && !fixture.exists(other.description))
        }
        #expect(try prune().deleted == 1)
    }

    @Test func `a folder that a slow process has locked is waited for`() throws {
        let key = try add("Ab", daysOld: 31)
        let folder = (fixture.file(key) as NSString).deletingLastPathComponent
        let file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        #expect(flock(file, LOCK_SH | LOCK_NB) == 0)
        // As long as a process may not run on a busy machine.
        let slow = Thread {
            usleep(300_000); close(file)
        }
        slow.start()
        let summary = try prune()
        #expect(summary.deleted == 1 && summary.isComplete)
    }

    @Test func `what cannot go is made up for by what was used next`() throws {
        let taken = try add("Ab", usedDaysAgo: 9)
        for (days, name) in [(8, "Cd"), (7, "Ef"), (6, "Gh")] as [(Int64, String)] {
            try add(name, usedDaysAgo: days)
        }
        let unsealed = try CacheFixture.poster("Ij")
        try fixture.plant(CacheFixture.jpeg(), at: unsealed)
        fixture.setAge(unsealed.description, modified: Self.day, accessed: 10 * Self.day)
        try whileTaken(taken) {
            let summary = try prune { $0.maxEntries = 2 }
            // The one without a seal is none of its entries.
            #expect(summary.deleted == 2 && summary.entriesLeft == 2 && summary.unmet.isEmpty)
            #expect(summary.failures.count == 1)
            #expect(summary.oddities.map(\.path) == [unsealed.description])
            #expect(fixture.exists(taken.description) && fixture.exists(unsealed.description))
            #expect(fixture.exists(try CacheFixture.poster("Gh").description))
            let none = try prune { $0.maxEntries = 0 }
            #expect(none.deleted == 1 && none.unmet == [.maxEntries(1)])
        }
    }

    @Test(
        "what another process deletes meanwhile is not made up for",
        arguments: [(20, 10, 4), (24, 4, 4), (24, 1, 12), (9, 3, 6)], [1, 1 << 10])
    func deletedMeanwhile(_ numbers: (all: Int, most: Int, others: Int), batch: Int) throws {
        let names = "AbCdEfGhIjKlMnOpQrStUvWxYz".map { String($0) }.prefix(numbers.all)
        let keys = try names.enumerated().map { age, name in
            try add(name + name, usedDaysAgo: Int64(30 - age))
        }
        let bounds = PruneSweep.Bounds(batch: batch)
        var isFirst = true
        let summary = try Prune.run(
            fixture.path, Prune.Policy(maxAge: .seconds(90 * 86_400), maxEntries: numbers.most),
            now: fixture.now, bounds: bounds
        ) { deleted in
            guard isFirst else { return }
            isFirst = false
            // Some of those that are to go.
            for key in keys.prefix(numbers.all - numbers.most).filter({ $0.description != deleted })
                .suffix(numbers.others)
            {
                unlink(fixture.file(key))
            }
        }
        #expect(
            keys.map { fixture.exists($0.description) }
                == keys.indices.map { $0 >= numbers.all - numbers.most })
        #expect(summary.isComplete && summary.entriesLeft == numbers.most)
    }

    @Test func `lists count, and go by their last use as pictures do`() throws {
        let uses: [(days: Int64, name: String)] = [(5, "Ab"), (1, "Cd")]
        let keys = try uses.map { try add($0.name, usedDaysAgo: $0.days) }
        let lists = ListCache(try fixture.openUnsynced().files)
        let places = ["/a", "/b"].map { SealedPlace(list: $0) }
        for (place, days) in zip(places, [3, 2] as [Int64]) {
            try lists.write(place.key, ListCache.Kept(body: [0x7B, 0x7D], fetched: fixture.now))
            fixture.setAge(place.path, modified: 60, accessed: days * Self.day)
        }
        let summary = try prune { $0.maxEntries = 2 }
        #expect(summary.examined == 4 && summary.deleted == 2 && summary.isComplete)
        #expect(keys.map { fixture.exists($0.description) } == [false, true])
        #expect(places.map { fixture.exists($0.path) } == [false, true])
    }

    @Test("a file without a seal stays, whatever its name", arguments: [false, true])
    func unsealed(isVerified: Bool) throws {
        let cache = try fixture.open()
        let keys = try ["Photo", "Text", "Torn", "Empty", "Later"].map {
            try CacheFixture.poster($0)
        }
        for key in keys { try cache.write(key, fixture.entry()) }
        let whole = try fixture.contents(keys[2])
        try fixture.plant(Array(whole.prefix(4000)), at: keys[0])
        try fixture.plant(Array("mine".utf8), at: keys[1])
        // Cut within the seal, so that it cannot be another's.
        try fixture.plant(Array(whole.dropLast(9)), at: keys[2])
        try fixture.plant([], at: keys[3])
        try fixture.plant(LaterVersionTests.changed(whole), at: keys[4])
        for key in keys {
            fixture.setAge(key.description, modified: 40 * Self.day, accessed: 40 * Self.day)
        }
        if isVerified {
            let summary = try Verification.run(fixture.path, deletesBad: true)
            #expect(summary.bad.count == 5 && summary.deleted == 3)
            #expect(summary.failures.isEmpty)
        } else {
            let summary = try prune { $0.maxBytes = 0 }
            #expect(summary.deleted == 3 && summary.isComplete)
            #expect(summary.foreign == 2 && summary.bytesLeft == 0)
            #expect(Set(summary.oddities.map(\.path)) == Set(keys.prefix(2).map(\.description)))
            #expect(summary.oddities.allSatisfy { $0.reason == .unsealed })
        }
        #expect(keys.map { fixture.exists($0.description) } == [true, true, false, false, false])
    }

    @Test func `a file that is longer than any entry is no entry, however long`() throws {
        for name in ["Ab", "Cd", "Ef"] {
            let key = try CacheFixture.poster(name)
            try fixture.open().write(key, fixture.entry())
            #expect(truncate(fixture.file(key), 1 << 40) == 0)
            fixture.setAge(key.description, modified: 40 * Self.day, accessed: 40 * Self.day)
        }
        let summary = try prune { $0.maxBytes = 1 }
        #expect(summary.examined == 0 && summary.foreign == 3 && summary.deleted == 0)
        #expect(try Verification.run(fixture.path, deletesBad: true).examined == 0)
        let counted = try Statistics.survey(fixture.path, maxAge: month, now: fixture.now)
        #expect(counted.rows.isEmpty && counted.foreign == 3)
    }

    @Test("years beyond the range of time are times all the same", arguments: [-1, 1] as [Int64])
    func extremeTimes(sign: Int64) throws {
        for name in ["Ab", "Cd", "Ef", "Gh"] { try add(name) }
        let key = try CacheFixture.poster("Ab")
        fixture.setAge(key.description, modified: sign << 34, accessed: sign << 34)
        let summary = try prune { $0.maxEntries = 2 }
        #expect(summary.entriesLeft == 2 && summary.unmet.isEmpty)
    }

    @Test func `empty folders are removed, and what lies in others keeps them`() throws {
        try add("Ab", daysOld: 31, .w185)
        try add("Cd", daysOld: 31)
        try add("Ef")
        let manager = FileManager.default
        for folder in ["posters/w342/Gh", "posters/w500/Ij", "thumbs/60x90-cover-q82.jpeg/Kl"] {
            try manager.createDirectory(
                atPath: "\(fixture.path)/\(folder)", withIntermediateDirectories: true)
        }
        for folder in ["posters/mine", "thumbs/60x90-cover-q82.jpeg/longer", "lists", "hosts"] {
            try manager.createDirectory(
                atPath: "\(fixture.path)/\(folder)", withIntermediateDirectories: true)
        }
        #expect(try prune { $0.isDryRun = true }.deleted == 2)
        #expect(fixture.exists("posters/w342/Gh") && fixture.exists("posters/w185/Ab"))
        #expect(try prune().isComplete)
        for gone in ["posters/w342/Gh", "posters/w342/Cd", "posters/w185", "posters/w500"] {
            #expect(!fixture.exists(gone), "\(gone)")
        }
        #expect(!fixture.exists("thumbs/60x90-cover-q82.jpeg/Kl"))
        for kept in [
            "posters/w342/Ef", "posters/mine", "thumbs/60x90-cover-q82.jpeg/longer", "lists",
            "hosts",
            "thumbs", "tmp",
        ] { #expect(fixture.exists(kept), "\(kept)") }
    }

    @Test func `writers and a prune that removes every folder lose nothing`() throws {
        let fixture = fixture
        let isOver = Monitor(false)
        let faults = Monitor<[String]>([])
        let pool = WorkerPool<Void>(name: "test", threads: 3, capacity: 3) {}
        for writer in 0..<2 {
            let isQueued = pool.submit(.live) { _ in
                do {
                    let cache = try fixture.openUnsynced()
                    for round in 0..<400 {
                        let key = try CacheFixture.poster("\(round % 7 + 10)x\(writer)")
                        try cache.write(key, fixture.entry(CacheFixture.jpeg(50)))
                    }
                    if cache.healthIssue != nil { faults.withLock { $0.append("trouble") } }
                } catch { faults.withLock { $0.append("\(error)") } }
                isOver.withLock { $0 = true }
            }
            #expect(isQueued)
        }
        let isQueued = pool.submit(.live) { _ in
            while !isOver.withLock({ $0 }) {
                do {
                    let policy = Prune.Policy(maxAge: .seconds(86_400), maxBytes: 0)
                    let summary = try Prune.run(fixture.path, policy, now: .now())
                    if !summary.failures.isEmpty {
                        faults.withLock { $0.append("\(summary.failures)") }
                    }
                } catch Prune.Refusal.notACache {
                    // Not made yet.
                } catch { faults.withLock { $0.append("\(error)") } }
            }
        }
        #expect(isQueued)
        pool.stop()
        #expect(faults.withLock { $0 } == [])
    }

    @Test(.enabled(if: SmallDisk.isPossible, "mounting a file system takes root"))
    func `a prune mends a cache that is short of inodes`() throws {
        let disk = try #require(SmallDisk("size=8m,nr_inodes=200"))
        let path = disk.path + "/cache"
        let cache = try DiskCache(
            directory: path, log: .silent, metrics: fixture.metrics, pause: .zero)
        var written: [EntryKey] = []
        var failure: FileError?
        for number in 10..<99 where failure == nil {
            let variant = try ThumbnailVariant(width: number, height: 90)
            let key = EntryKey.thumbnail(try PosterPath("/\(number)x.jpg"), variant)
            do throws(FileError) {
                try cache.write(key, fixture.entry(CacheFixture.jpeg(100)))
                written.append(key)
            } catch { failure = error }
        }
        #expect(failure?.code == ENOSPC && written.count > 30)
        let root = try Directory(path)
        #expect(try root.space().freeInodes < 4)
        // Bytes are free in plenty.
        let policy = Prune.Policy(maxAge: month, minFreeBytes: 64 << 10)
        let summary = try Prune.run(path, policy, now: fixture.now)
        #expect(summary.isComplete && (1...16).contains(summary.deleted))
        #expect(try root.space().freeInodes >= 16)
        try cache.write(try CacheFixture.poster(), fixture.entry(CacheFixture.jpeg(100)))
        // As large a share of the inodes as of the bytes.
        let half = Prune.Policy(maxAge: month, minFreeBytes: 4 << 20)
        let halved = try Prune.run(path, half, now: fixture.now)
        // Each takes a folder of its variant and one of its shard along.
        #expect(halved.isComplete && (20...40).contains(halved.deleted), "\(halved)")
        #expect(try (100...110).contains(root.space().freeInodes))
        // What an empty cache would not meet, either, deletes nothing of it.
        let all = Prune.Policy(maxAge: month, minFreeBytes: 8 << 20)
        let unmet = try Prune.run(path, all, now: fixture.now)
        #expect(unmet.unmet.count == 2 && unmet.deleted == 0 && unmet.entriesLeft > 0)
        // The other limits hold all the same.
        let both = Prune.Policy(maxAge: month, maxEntries: 1, minFreeBytes: 8 << 20)
        let met = try Prune.run(path, both, now: fixture.now)
        #expect(met.unmet.count == 2 && met.entriesLeft == 1)
    }

    @Test(.enabled(if: SmallDisk.isPossible, "mounting a file system takes root"))
    func `what is mounted below the cache is not entered`() throws {
        let disk = try #require(SmallDisk("size=1m"))
        let theirs = try DiskCache(
            directory: disk.path + "/cache", log: .silent, metrics: fixture.metrics)
        let (ours, mounted) = (try add("Ab", daysOld: 31), try CacheFixture.poster("Cd"))
        try theirs.write(mounted, fixture.entry(daysOld: 31))
        // Another file system, and another folder of the same one.
        let shard = fixture.path + "/posters/w342/Cd"
        let same = fixture.path + "/posters/w500"
        let aside = fixture.home.path + "/aside"
        for folder in [shard, same, aside + "/Ef"] {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
        }
        #expect(mount(disk.path + "/cache/posters/w342/Cd", shard, nil, UInt(MS_BIND), nil) == 0)
        defer { umount2(shard, Int32(MNT_DETACH)) }
        #expect(mount(aside, same, nil, UInt(MS_BIND), nil) == 0)
        defer { umount2(same, Int32(MNT_DETACH)) }
        let summary = try prune { $0.maxBytes = 0 }
        #expect(summary.deleted == 1 && summary.examined == 1 && summary.foreign == 2)
        #expect(Set(summary.oddities.map(\.path)) == ["posters/w342/Cd", "posters/w500"])
        #expect(summary.oddities.allSatisfy { $0.reason == .mounted })
        #expect(fixture.exists(mounted.description) && !fixture.exists(ours.description))
        #expect(FileManager.default.fileExists(atPath: aside + "/Ef"))
        #expect(try Verification.run(fixture.path, deletesBad: true).examined == 0)
    }

    @Test func `more expired entries than are remembered go all the same`() throws {
        let keys = try (0..<9).map { try add("Old\($0)", daysOld: 31) }
        let kept = try add("New")
        let bounds = PruneSweep.Bounds(expired: 8)
        let summary = try Prune.run(
            fixture.path, Prune.Policy(maxAge: month), now: fixture.now, bounds: bounds)
        #expect(summary.deleted == 9 && summary.isComplete)
        #expect(!keys.contains { fixture.exists($0.description) })
        #expect(fixture.exists(kept.description))
    }
}
