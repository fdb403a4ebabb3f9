import Amodb
import Foundation
import Testing
import TestSupport

@testable import PosterBase
@testable import PosterCache
@testable import PosterKit

/// Which directories become a cache, and what is said of one that cannot be made.
@Suite struct CacheDirectoryTests {
    private let fixture = CacheFixture()

    private func make(_ names: String...) throws {
        for name in names {
            try FileManager.default.createDirectory(
                atPath: "\(fixture.path)/\(name)", withIntermediateDirectories: true)
        }
    }

    private func write(_ name: String, _ text: String) throws {
        try make("")
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(fixture.path)/\(name)"))
    }

    @Test(
        "a directory of other things is refused, and nothing is made in it",
        arguments: ["notes.txt", ".hidden", "posters", "lists", "CACHEDIR.TAG"])
    func refused(name: String) throws {
        if name.first?.isLowercase == true, !name.contains(".") { try make(name) }
        // Another program's cache.
        if name.contains(".") { try write(name, "\(CacheTag.signature)\n# by cargo\n") }
        let before = fixture.home.contents()
        let error = #expect(throws: FileError.self) { try fixture.open() }
        #expect(error?.code == ENOTEMPTY)
        #expect(error?.description.contains("it holds other things") == true)
        for _ in 0..<2 {
            #expect(throws: Prune.Refusal.notOurs(fixture.path)) {
                try Prune.run(fixture.path, .init(maxAge: .zero), now: fixture.now)
            }
            #expect(throws: Prune.Refusal.notOurs(fixture.path)) {
                try Verification.run(fixture.path, deletesBad: true)
            }
        }
        #expect(fixture.home.contents() == before)
    }

    @Test(
        "what a file system or a crash left is no other thing",
        arguments: [["lost+found"], ["tmp"], ["tmp", "lost+found"], [""]])
    func taken(names: [String]) throws {
        for name in names { try make(name) }
        if names.contains("tmp") { try write("tmp/onesheet-1-a", "half") }
        try fixture.open().write(try CacheFixture.poster(), fixture.entry())
        #expect(try fixture.open().read(try CacheFixture.poster()).entry != nil)
    }

    @Test func `a cache with a tag that another hand has shortened stays one`() throws {
        _ = try fixture.open()
        try write(CacheTag.name, CacheTag.signature)
        #expect(throws: Never.self) { try fixture.open() }
    }

    @Test func `many that begin at once all get the cache`() throws {
        let fixture = fixture
        for _ in 0..<20 {
            let pool = WorkerPool<Void>(name: "test", threads: 4, capacity: 4) {}
            let faults = Monitor<[String]>([])
            for _ in 0..<4 {
                let isQueued = pool.submit(.live) { _ in
                    do { _ = try fixture.open() } catch {
                        faults.withLock { $0.append("\(error)") }
                    }
                }
                #expect(isQueued)
            }
            pool.stop()
            #expect(faults.withLock { $0 } == [])
            try FileManager.default.removeItem(atPath: fixture.path)
        }
    }

    @Test func `a link that leads nowhere is named`() throws {
        #expect(symlink("nowhere", fixture.path) == 0)
        let error = #expect(throws: FileError.self) { try fixture.open() }
        #expect(error?.description.contains("it is a link that leads nowhere") == true)
    }

    @Test(
        "on a disk that takes nothing a cache begins, says why, and fills when there is room",
        .enabled(if: SmallDisk.isPossible, "mounting a file system takes root"),
        arguments: ["full", "read-only", "no inodes", "two inodes"])
    func unwritable(kind: String) throws {
        let options = kind.hasSuffix("inodes") ? "size=1m,nr_inodes=12" : "size=256k"
        let disk = try #require(SmallDisk(options))
        let path = disk.path + "/cache"
        #expect(mkdir(path, 0o755) == 0)
        let ballast = disk.path + "/ballast"
        #expect(mkdir(ballast, 0o755) == 0)
        switch kind {
        case "full":
            #expect(throws: (any Error).self) {
                try Data(count: 1 << 19).write(to: URL(fileURLWithPath: ballast + "/0"))
            }
        case "read-only": #expect(disk.remount(isReadOnly: true, options))
        default:
            for number in 0..<20 { mkdir("\(ballast)/\(number)", 0o755) }
            // Enough for a folder and a file in it, or for a folder alone.
            if kind == "two inodes" { for number in 0..<2 { rmdir("\(ballast)/\(number)") } }
        }
        let key = try CacheFixture.poster()
        let small = fixture.entry(CacheFixture.jpeg(100))
        for _ in 0..<2 {
            let cache = try DiskCache(
                directory: path, log: .silent, metrics: fixture.metrics, pause: .zero)
            let error = #expect(throws: FileError.self) { try cache.write(key, small) }
            #expect(error?.code == (kind == "read-only" ? EROFS : ENOSPC), "\(error as Any)")
            #expect(cache.healthIssue != nil)
        }
        let cache = try DiskCache(
            directory: path, log: .silent, metrics: fixture.metrics, pause: .zero)
        if kind == "read-only" {
            #expect(disk.remount(isReadOnly: false, options))
        } else {
            try FileManager.default.removeItem(atPath: ballast)
        }
        try cache.write(key, small)
        #expect(FileManager.default.fileExists(atPath: path + "/" + CacheTag.name))
        #expect(throws: Never.self) {
            try DiskCache(directory: path, log: .silent, metrics: fixture.metrics)
        }
    }

    @Test func `a cache that was removed and cannot be made again says why`() throws {
        let parent = fixture.home.path + "/parent"
        let cache = try DiskCache(
            directory: parent + "/cache", log: .silent, metrics: fixture.metrics, pause: .zero)
        try cache.write(try CacheFixture.poster(), fixture.entry())
        try FileManager.default.removeItem(atPath: parent)
        try Data().write(to: URL(fileURLWithPath: parent))
        let error = #expect(throws: FileError.self) {
            try cache.write(try CacheFixture.poster("Other"), fixture.entry())
        }
        // Not that the folder, in a directory that is no more, is missing.
        #expect(error?.code == ENOTDIR && error?.operation == .mkdir, "\(error as Any)")
    }
}
