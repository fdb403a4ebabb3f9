import Amodb
import Foundation
import Glibc
import Testing
import TestSupport

@testable import PosterBase
@testable import PosterCache
@testable import PosterKit

/// Several users of one directory, and a directory that somebody else meddles with.
@Suite struct SharedCacheTests {
    private let fixture = CacheFixture()

    /// Runs each body on a thread of its own, and waits for all.
    private func atOnce(_ bodies: [@Sendable () -> Void]) {
        let pool = WorkerPool<Void>(name: "test", threads: bodies.count, capacity: bodies.count) {}
        for body in bodies { #expect(pool.submit(.live) { _ in body() }) }
        pool.stop()
    }

    /// As a child has them between fork and exec, that another thread is starting just now.
    private func copiesOfDescriptors(of path: String) throws -> [Int32] {
        let manager = FileManager.default
        return try manager.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { name in
            var target = [CChar](repeating: 0, count: 4096)
            guard let descriptor = Int32(name),
                readlink("/proc/self/fd/\(name)", &target, 4095) > 0,
                String(
                    decoding: target.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
                    == path
            else { return nil }
            return dup(descriptor)
        }
    }

    @Test func `a lock ends with its holder, whoever has its descriptor as well`() throws {
        // As the system spells it.
        let path = URL(fileURLWithPath: fixture.home.path).standardizedFileURL.path
        let folder = try Directory(path)
        let isHeld: () throws -> Bool = {
            try folder.withLock(alone: true) { if case .held = $0 { true } else { false } }
        }
        var copies: [Int32] = []
        try folder.withLock(alone: true) { _ throws(FileError) in
            do { copies = try copiesOfDescriptors(of: path) } catch {
                Issue.record(error)
            }
        }
        defer { for copy in copies { close(copy) } }
        // The folder, and the lock.
        #expect(copies.count >= 2)
        #expect(try isHeld())
    }

    @Test func `readers beside two writers and a prune see whole entries alone`() throws {
        let fixture = fixture
        let keys = try (0..<4).map { try CacheFixture.poster("Ab\($0)") }
        let versions = (1...2).map { CacheFixture.jpeg(30_000, seed: UInt8($0)) }
        let hashes = Set(versions.map { ContentHash(of: $0) })
        let caches = try (0..<3).map { _ in try fixture.open() }
        for key in keys { try caches[0].write(key, fixture.entry(versions[0])) }
        let faults = Monitor<[String]>([])
        let writers: [@Sendable () -> Void] = (0..<2).map { writer in
            {
                for round in 0..<150 {
                    do {
                        try caches[writer].write(keys[round % 4], fixture.entry(versions[writer]))
                    } catch { faults.withLock { $0.append("\(error)") } }
                }
            }
        }
        let reader: @Sendable () -> Void = {
            for round in 0..<600 {
                // None is ever away: each is replaced in one step, and fresh.
                guard let entry = caches[2].read(keys[round % 4]).entry,
                    hashes.contains(ContentHash(of: entry.picture.bytes))
                else { return faults.withLock { $0.append("a miss or wrong bytes") } }
            }
        }
        let pruner: @Sendable () -> Void = {
            for _ in 0..<40 {
                do {
                    let policy = Prune.Policy(maxAge: .seconds(86_400))
                    let summary = try Prune.run(fixture.path, policy, now: .now())
                    if summary.deleted + summary.failures.count > 0 {
                        faults.withLock { $0.append("\(summary)") }
                    }
                } catch { faults.withLock { $0.append("\(error)") } }
            }
        }
        atOnce(writers + [reader, pruner])
        #expect(faults.withLock { $0 } == [])
        #expect(EntryFault.allCases.allSatisfy { fixture.metrics.badEntries[$0] == 0 })
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.path + "/tmp").isEmpty)
    }

    @Test func `an entry renewed while it is pruned is there afterwards`() throws {
        let key = try CacheFixture.poster("Ab")
        let fixture = fixture
        let cache = try fixture.open()
        let lost = Monitor(0)
        for _ in 0..<60 {
            let old = fixture.entry(daysOld: 31)
            try cache.write(key, old)
            atOnce([
                {
                    do {
                        let isRenewed = try cache.renew(key, old, at: fixture.now)
                        if isRenewed && cache.read(key).entry == nil { lost.withLock { $0 += 1 } }
                    } catch { lost.withLock { $0 += 1 } }
                },
                {
                    let policy = Prune.Policy(maxAge: .seconds(30 * 86_400))
                    do { _ = try Prune.run(fixture.path, policy, now: fixture.now) } catch {
                        lost.withLock { $0 += 1 }
                    }
                },
            ])
        }
        #expect(lost.withLock { $0 } == 0)
    }

    @Test func `a cache that was removed is made anew by the next write`() throws {
        let key = try CacheFixture.poster()
        let cache = try fixture.open()
        try cache.write(key, fixture.entry())
        try FileManager.default.removeItem(atPath: fixture.path)
        #expect(cache.read(key).isAbsent)
        try cache.write(key, fixture.entry())
        #expect(fixture.exists(key.description))
        #expect(fixture.exists(CacheTag.name))
        #expect(try fixture.open().read(key).entry != nil)
        #expect(cache.healthIssue == nil)
    }

    @Test func `a shard that was removed is made anew by the next write`() throws {
        let key = try CacheFixture.poster()
        let cache = try fixture.open()
        for folder in ["posters/w342/Ab", "posters/w342", "posters", "tmp"] {
            try cache.write(key, fixture.entry())
            try FileManager.default.removeItem(atPath: "\(fixture.path)/\(folder)")
            try cache.write(key, fixture.entry())
            #expect(cache.read(key).entry != nil, "\(folder)")
        }
    }

    @Test func `a hand that removes every empty folder meanwhile costs nothing but time`() throws {
        let cache = try fixture.open()
        let fixture = fixture
        let isOver = Monitor(false)
        let failed = Monitor<[String]>([])
        let keys = try (0..<200).map { try CacheFixture.poster("\($0 % 90 + 10)Ab\($0)") }
        atOnce([
            {
                for key in keys {
                    do { try cache.write(key, fixture.entry(CacheFixture.jpeg(50))) } catch {
                        failed.withLock { $0.append("\(error)") }
                    }
                }
                isOver.withLock { $0 = true }
            },
            {
                while !isOver.withLock({ $0 }) {
                    for shard in 10..<100 { rmdir("\(fixture.path)/posters/w342/\(shard)") }
                    rmdir("\(fixture.path)/posters/w342")
                    rmdir("\(fixture.path)/posters")
                }
            },
        ])
        // A folder may go again between the second making and the rename; that key is not kept.
        let lost = failed.withLock { $0.count }
        #expect(lost < 20, "\(failed.withLock { $0 })")
        #expect(keys.filter { cache.read($0).entry == nil }.count == lost)
        #expect(cache.healthIssue == nil)
    }

    @Test func `a cache that was moved away is found again when it is back`() throws {
        let key = try CacheFixture.poster()
        let directory = try CacheDirectory(making: fixture.path)
        try fixture.open().write(key, fixture.entry())
        let manager = FileManager.default
        let aside = fixture.home.path + "/aside"
        try manager.moveItem(atPath: fixture.path, toPath: aside)
        directory.reopened()
        #expect(try directory.folder(SealedPlace(key).folders) == nil)
        try manager.removeItem(atPath: fixture.path)
        try manager.moveItem(atPath: aside, toPath: fixture.path)
        directory.reopened()
        #expect(try directory.folder(SealedPlace(key).folders)?.status("AbCdEf.jpg") != nil)
    }

    @Test func `files and folders are for all to read and for their owner to write`() throws {
        let key = try CacheFixture.poster()
        try fixture.open().write(key, fixture.entry())
        let mask = umask(0)
        umask(mask)
        func mode(_ path: String) throws -> mode_t {
            var status = stat()
            try #require(lstat("\(fixture.path)/\(path)", &status) == 0)
            return status.st_mode & 0o777
        }
        #expect(try mode(key.description) == 0o644 & ~mask)
        #expect(try mode("posters/w342/Ab") == 0o755 & ~mask)
        #expect(try mode("CACHEDIR.TAG") == 0o644 & ~mask)
    }
}
