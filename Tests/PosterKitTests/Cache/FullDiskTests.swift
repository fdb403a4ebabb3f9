import Foundation
import Testing
import TestSupport

@testable import PosterBase
@testable import PosterCache
@testable import PosterKit

/// A disk that takes no more.
@Suite(.enabled(if: SmallDisk.isPossible, "mounting a file system takes root"))
struct FullDiskTests {
    private let fixture = CacheFixture()

    private struct Log: Sendable {
        let lines = Monitor<[String]>([])
        var log: PosterKit.Log {
            PosterKit.Log { [lines] _, line in lines.withLock { $0.append(line) } }
        }
        var events: [String] {
            lines.withLock {
                $0.map { String($0.split(separator: "event=")[1].prefix { $0 != " " }) }
            }
        }
    }

    @Test(
        "a write that fails leaves nothing, says so once, and reading goes on",
        arguments: [("size=100k", "No space"), ("nr_inodes=16", "No space")])
    func full(options: String, words: String) throws {
        let disk = try #require(SmallDisk(options))
        let log = Log()
        let cache = try DiskCache(
            directory: disk.path + "/cache", log: log.log, metrics: fixture.metrics)
        var written: [EntryKey] = []
        var failure: FileError?
        for index in 0..<40 where failure == nil {
            let key = try CacheFixture.poster("Ab\(index)")
            do {
                try cache.write(key, fixture.entry(CacheFixture.jpeg(9000)))
                written.append(key)
            } catch { failure = error }
        }
        #expect(failure?.code == ENOSPC)
        #expect(written.count > 2)
        #expect(throws: try #require(failure)) { try cache.write(written[0], fixture.entry()) }
        #expect(written.allSatisfy { cache.read($0).entry != nil })
        #expect(cache.healthIssue?.code == .diskFull)
        #expect(cache.healthIssue?.message.contains(words) == true)
        #expect(log.events == ["cache_write_failing"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path + "/cache/tmp") == [])
    }

    @Test func `a disk with room again is found well by a write, or by asking alone`() throws {
        let disk = try #require(SmallDisk("size=64k"))
        let log = Log()
        let cache = try DiskCache(
            directory: disk.path + "/cache", log: log.log, metrics: fixture.metrics, pause: .zero)
        let key = try CacheFixture.poster()
        for isAsked in [true, false] {
            let ballast = URL(fileURLWithPath: disk.path + "/ballast")
            #expect(throws: (any Error).self) { try Data(count: 1 << 17).write(to: ballast) }
            #expect(throws: FileError.self) { try cache.write(key, fixture.entry()) }
            #expect(cache.healthIssue?.code == .diskFull)
            try FileManager.default.removeItem(at: ballast)
            if isAsked {
                #expect(cache.healthIssue == nil)
            } else {
                try cache.write(key, fixture.entry())
            }
            #expect(cache.healthIssue == nil)
        }
        let change = ["cache_write_failing", "cache_write_restored"]
        #expect(log.events == change + change)
    }

    @Test func `a read-only cache is read and opened, not written`() throws {
        let disk = try #require(SmallDisk("size=1m"))
        let key = try CacheFixture.poster()
        let path = disk.path + "/cache"
        try DiskCache(directory: path, log: .silent, metrics: fixture.metrics)
            .write(key, fixture.entry())
        #expect(disk.remount(isReadOnly: true, "size=1m"))
        let log = Log()
        let cache = try DiskCache(directory: path, log: log.log, metrics: fixture.metrics)
        let entry = try #require(cache.read(key).entry)
        cache.noteUse(of: key, now: fixture.now + .seconds(7200))
        let error = #expect(throws: FileError.self) { try cache.write(key, entry) }
        #expect(error?.code == EROFS)
        #expect(throws: FileError.self) { try cache.renew(key, entry, at: fixture.now) }
        #expect(cache.healthIssue?.code == .cacheNotWritable)
        #expect(log.events == ["cache_write_failing"])
        #expect(
            try Prune.run(path, .init(maxAge: .zero), now: fixture.now).failures.map(\.code)
                == [EROFS])
    }

    @Test func `a volume that takes names for one by case is refused`() throws {
        _ = try fixture.open()
        // The same folder under both names, as such a volume shows it.
        let (folder, other) = (fixture.path + "/thumbs", fixture.path + "/THUMBS")
        #expect(mkdir(other, 0o755) == 0)
        #expect(throws: Never.self) { try fixture.open() }
        #expect(mount(folder, other, nil, UInt(MS_BIND), nil) == 0)
        defer { umount2(other, Int32(MNT_DETACH)) }
        let error = #expect(throws: FileError.self) { try fixture.open() }
        #expect(error?.code == EEXIST)
        #expect(error?.description.contains("differ by case") == true)
    }

    @Test func `lists and posters tell of one full disk once`() throws {
        let disk = try #require(SmallDisk("size=1m"))
        let path = disk.path + "/cache"
        let log = Log()
        let cache = try DiskCache(directory: path, log: log.log, metrics: fixture.metrics)
        let lists = ListCache(cache.files)
        let bytes = CacheFixture.jpeg(2 << 20)
        #expect(throws: FileError.self) {
            try cache.write(CacheFixture.poster(), fixture.entry(bytes))
        }
        #expect(throws: FileError.self) {
            try lists.write("/a", ListCache.Kept(body: [0x7B, 0x7D], fetched: fixture.now))
        }
        #expect(lists.healthIssue?.code == .diskFull)
        #expect(log.events == ["cache_write_failing"])
    }

    @Test func `a folder on another file system is refused`() throws {
        _ = try fixture.open()
        let disk = try #require(SmallDisk("size=64k"))
        #expect(mount(disk.path, fixture.path + "/tmp", nil, UInt(MS_BIND), nil) == 0)
        defer { umount2(fixture.path + "/tmp", Int32(MNT_DETACH)) }
        let error = #expect(throws: FileError.self) { try fixture.open() }
        #expect(error?.code == EXDEV)
    }
}
