import Foundation
import Testing
import TestSupport

@testable import PosterBase
@testable import PosterCache
@testable import PosterKit

@Suite struct ListRoomTests {
    private let folder = TemporaryDirectory()
    private let start = Timestamp.now() - .seconds(1_000_000)

    private func cache(_ capacity: Int) throws -> ListCache {
        try ListCache(
            directory: folder.path, capacity: capacity, log: .silent, metrics: CacheMetrics())
    }

    private func write(_ cache: ListCache, _ request: String, _ bytes: Int, at second: Int) throws {
        let body = [UInt8](repeating: 0x20, count: bytes)
        let fetched = start + .seconds(second)
        try cache.write(request, ListCache.Kept(body: body, contentType: nil, fetched: fetched))
    }

    /// What the lists take of the disk.
    private var allocated: Int {
        get throws {
            try folder.files().filter { $0.hasPrefix("lists/") }.reduce(0) {
                let status = try Directory.status(at: "\(folder.path)/\($1)")
                return $0 + (status?.allocated ?? 0)
            }
        }
    }

    @Test func `whatever is written, the folder holds no more, and what was used last stays`()
        throws
    {
        let capacity = 1 << 20
        // Two processes.
        let caches = [try cache(capacity), try cache(capacity)]
        var uses: [String: Int] = [:]
        for second in 1...600 {
            let request = "/a?page=\(Int.random(in: 0..<200))"
            let cache = caches[second % 2]
            if Bool.random(), let found = cache.lookUp(request) {
                let now = start + .seconds(second * 400)
                cache.noteUse(of: request, lastUse: found.lastUse, now: now)
                uses[request] = second
            } else {
                let bytes = Int.random(in: 1...(1 << Int.random(in: 0...17)))
                do {
                    try write(cache, request, bytes, at: second * 400)
                    uses[request] = second
                } catch {
                    // A child process that is about to start may hold the folder's lock: then
                    // nothing can be removed, and the list is not kept.
                    uses[request] = nil
                }
            }
            #expect(try allocated <= capacity)
        }
        let kept = uses.filter { caches[0].read($0.key) != nil }
        let lost = uses.filter { caches[0].read($0.key) == nil }
        #expect(kept.count > 10 && lost.count > 10)
        #expect(try #require(kept.values.min()) > #require(lost.values.max()) - 40)
    }

    @Test func `the one used longest ago goes first, in the order of use and not of arrival`()
        throws
    {
        let capacity = 80 << 10
        let cache = try cache(capacity)
        for index in 0..<9 { try write(cache, "/\(index)", 5000, at: index) }
        let found = try #require(cache.lookUp("/0"))
        cache.noteUse(of: "/0", lastUse: found.lastUse, now: start + .seconds(1000))
        try write(try self.cache(capacity), "/new", 4000, at: 2000)
        #expect(cache.read("/0") != nil)
        #expect(cache.read("/1") == nil)
        #expect(cache.read("/new") != nil)
    }

    @Test func `a list that is larger than the whole room is not kept, and costs no other`() throws
    {
        let cache = try cache(64 << 10)
        try write(cache, "/a", 100, at: 1)
        #expect(throws: FileError.self) { try write(cache, "/b", 64 << 10, at: 2) }
        #expect(cache.read("/a") != nil)
        #expect(throws: FileError.self) { try write(try self.cache(0), "/c", 1, at: 3) }
    }

    @Test func `files that are not the cache's own neither count nor go`() throws {
        let cache = try cache(64 << 10)
        try write(cache, "/a", 1, at: 1)
        let foreign = folder.path + "/lists/notes.txt"
        try Data(count: 1 << 20).write(to: URL(filePath: foreign))
        for index in 0..<40 { try write(cache, "/\(index)", 4000, at: index + 2) }
        #expect(FileManager.default.fileExists(atPath: foreign))
        #expect(cache.read("/39") != nil)
    }

    @Test func `a planted file of any size traps nothing`() throws {
        let cache = try cache(64 << 10)
        for name in ["0", "1", "2"] {
            let path = "\(folder.path)/lists/\(String(repeating: name, count: 32)).json"
            #expect(FileManager.default.createFile(atPath: path, contents: nil))
            #expect(truncate(path, .max / 2) == 0 || truncate(path, 1 << 43) == 0)
        }
        try write(cache, "/a", 1, at: 1)
        #expect(cache.read("/a") != nil)
    }
}
