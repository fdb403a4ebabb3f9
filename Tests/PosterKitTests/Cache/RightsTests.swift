import Amodb
import Foundation
import Testing
import TestSupport

@testable import PosterBase
@testable import PosterCache
@testable import PosterKit

/// Files and folders that may not be read or written, as a user whom the system refuses something:
/// where the tests run as root, a thread that has given its rights to files up.
@Suite struct RightsTests {
    private let fixture = CacheFixture()

    /// Runs `body` on a thread that opens files as nobody, to whom the cache belongs then.
    private func asNobody(
        whoOwnsFiles: Bool = true, _ body: @escaping @Sendable () throws -> Void
    ) throws {
        let nobody: uid_t = 65_534
        for path in fixture.home.contents().map({ "\(fixture.home.path)/\($0)" })
        where getuid() == 0 && whoOwnsFiles {
            #expect(lchown(path, nobody, nobody) == 0)
        }
        let failure = Monitor<(any Error)?>(nil)
        let thread = PosixThread(name: "nobody") {
            if getuid() == 0 { setFileUser(nobody) }
            do { try body() } catch { failure.withLock { $0 = error } }
        }
        thread.join()
        if let failure = failure.withLock({ $0 }) { throw failure }
    }

    private final class Lines: Sendable {
        private let lines = Monitor<[String]>([])
        var log: Log { Log { [lines] _, line in lines.withLock { $0.append(line) } } }
        func count(_ event: String) -> Int {
            lines.withLock { $0.filter { $0.contains("event=\(event)") }.count }
        }
    }

    @Test func `an entry that may not be read is left alone, and all others are served`() throws {
        let (secret, other) = (try CacheFixture.poster("AbA"), try CacheFixture.poster("AbB"))
        let filling = try fixture.open()
        for key in [secret, other] { try filling.write(key, fixture.entry()) }
        #expect(chmod(fixture.file(secret), 0) == 0)
        let (lines, fixture) = (Lines(), fixture)
        try asNobody {
            let cache = try fixture.open(log: lines.log)
            for _ in 0..<3 {
                guard case .unreadable(let error) = cache.read(secret) else {
                    Issue.record("it was read")
                    return
                }
                #expect(error.code == EACCES)
                #expect(error.path.hasSuffix("AbA.jpg"))
            }
            #expect(cache.read(other).entry != nil)
            #expect(cache.healthIssue == nil)
        }
        #expect(fixture.exists(secret.description))
        #expect(lines.count("cache_place_unusable") == 1)
        #expect(lines.count("cache_read_failing") == 0)
    }

    @Test("a shard without rights is left alone, and all others are used", arguments: [0, 0o500])
    func shard(mode: mode_t) throws {
        let (shut, other) = (try CacheFixture.poster("AbA"), try CacheFixture.poster("CdB"))
        let filling = try fixture.open()
        for key in [shut, other] { try filling.write(key, fixture.entry()) }
        let shard = fixture.path + "/posters/w342/Ab"
        #expect(chmod(shard, mode) == 0)
        let (lines, fixture) = (Lines(), fixture)
        try asNobody {
            let cache = try fixture.open(log: lines.log)
            for _ in 0..<3 {
                #expect(throws: FileError.self) { try cache.write(shut, fixture.entry()) }
                switch cache.read(shut) {
                case .entry: #expect(mode == 0o500)
                case .unreadable(let error):
                    #expect(mode == 0 && error.code == EACCES)
                    #expect(error.path.hasSuffix("posters/w342/Ab"))
                case .absent: Issue.record("it counts as absent")
                }
            }
            try cache.write(other, fixture.entry())
            #expect(cache.read(other).entry != nil)
            #expect(cache.healthIssue == nil)
            let old = Prune.Policy(maxAge: .zero)
            let summary = try Prune.run(fixture.path, old, now: .now())
            #expect(summary.deleted == 1)
            #expect(summary.failures.count == 1 && summary.failures[0].code == EACCES)
        }
        #expect(lines.count("cache_place_unusable") >= 1)
        #expect(lines.count("cache_write_failing") == 0)
        var status = stat()
        #expect(lstat(shard, &status) == 0 && status.st_mode & 0o777 == mode)
        #expect(chmod(shard, 0o755) == 0)
        #expect(fixture.exists(shut.description))
    }

    @Test(.enabled(if: getuid() == 0, "the files of somebody else take root to make"))
    func `a cache of somebody else's serves, and says that it takes nothing`() throws {
        let key = try CacheFixture.poster()
        try fixture.open().write(key, fixture.entry())
        let (lines, fixture) = (Lines(), fixture)
        try asNobody(whoOwnsFiles: false) {
            let cache = try fixture.open(log: lines.log)
            // O_NOATIME is for a file's owner alone.
            #expect(cache.read(key).entry != nil)
            cache.noteUse(of: key, now: fixture.now + .seconds(7200))
            let other = try CacheFixture.poster("Cd")
            let error = #expect(throws: FileError.self) {
                try cache.write(other, fixture.entry())
            }
            #expect(error?.code == EACCES)
            #expect(cache.read(other).isAbsent)
            #expect(cache.healthIssue?.code == .cacheNotWritable)
        }
        #expect(lines.count("cache_write_failing") == 1)
    }
}

/// setfsuid(2), which glibc hides from Swift: whose rights this thread alone opens files with.
private func setFileUser(_ user: uid_t) {
    typealias Call = @convention(c) (uid_t) -> Int32
    for (name, id) in [("setfsgid", user), ("setfsuid", user)] {
        guard let symbol = dlsym(nil, name) else { fatalError("there is no \(name)") }
        _ = unsafeBitCast(symbol, to: Call.self)(id)
    }
}
