import Amodb
import Foundation
import Testing
import TestSupport

@testable import PosterBase
@testable import PosterCache
@testable import PosterKit

@Suite struct DiskCacheTests {
    private let fixture = CacheFixture()

    @Test func `a new cache has its layout and its tag`() throws {
        _ = try fixture.open()
        #expect(fixture.home.files() == ["cache/CACHEDIR.TAG"])
        #expect(["posters", "thumbs", "lists", "tmp"].allSatisfy(fixture.exists))
        let tag = try String(contentsOfFile: fixture.path + "/CACHEDIR.TAG", encoding: .utf8)
        #expect(tag.hasPrefix("Signature: 8a477f597d28d172789f06886806bc55\n"))
    }

    @Test func `an entry reads back as it was written, in this process and the next`() throws {
        let key = try CacheFixture.thumbnail()
        let entry = fixture.entry(
            daysOld: 3, validators: Validators(entityTag: "\"a\"", lastModified: "then"),
            source: ContentHash(high: 3, low: 4))
        let cache = try fixture.open()
        try cache.write(key, entry)
        for cache in [cache, try fixture.open()] {
            let read = try #require(cache.read(key).entry)
            #expect(read.picture.bytes == entry.picture.bytes)
            #expect(read.picture.hash == entry.picture.hash)
            #expect(read.picture.made == entry.picture.made)
            #expect(read.validated == entry.validated)
            #expect(read.validators == entry.validators)
            #expect(read.source == entry.source)
        }
        #expect(fixture.home.files() == ["cache/CACHEDIR.TAG", "cache/\(key)"])
    }

    @Test func `a file is the picture, byte for byte, and then the seal`() throws {
        let key = try CacheFixture.poster()
        try fixture.open().write(key, fixture.entry())
        let bytes = CacheFixture.jpeg()
        let file = try fixture.contents(key)
        #expect(file.starts(with: bytes))
        #expect(file.count - bytes.count < 250)
    }

    @Test func `what is not there is absent`() throws {
        let cache = try fixture.open()
        #expect(cache.read(try CacheFixture.poster()).isAbsent)
        #expect(fixture.metrics.badEntries[.torn] == 0)
    }

    @Test("a damaged entry is a miss, removed and counted", arguments: Damage.all)
    func damaged(damage: Damage) throws {
        let key = try CacheFixture.poster()
        let cache = try fixture.open()
        try cache.write(key, fixture.entry())
        #expect(cache.read(key).entry != nil)
        try fixture.plant(damage.change(try fixture.contents(key)), at: key)
        #expect(cache.read(key).isAbsent)
        #expect(fixture.metrics.badEntries[damage.reason] == 1)
        #expect(!fixture.exists(key.description))
        try cache.write(key, fixture.entry())
        #expect(cache.read(key).entry != nil)
    }

    struct Damage: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var reason: EntryFault
        var change: @Sendable ([UInt8]) -> [UInt8]

        static let all = [
            Damage(testDescription: "empty", reason: .empty) { _ in [] },
            Damage(testDescription: "cut", reason: .torn) { Array($0.dropLast(9)) },
            Damage(testDescription: "doubled", reason: .torn) { $0 + $0 },
            Damage(testDescription: "a flipped bit in the body", reason: .body) {
                var bytes = $0
                bytes[77] ^= 16
                return bytes
            },
            Damage(testDescription: "a flipped bit in the seal", reason: .seal) {
                var bytes = $0
                bytes[bytes.count - 60] ^= 1
                return bytes
            },
            Damage(testDescription: "foreign bytes", reason: .torn) { _ in
                Array("<html>".utf8)
            },
        ]
    }

    @Test func `every bit of an entry counts`() throws {
        let key = try CacheFixture.poster()
        let cache = try fixture.open()
        try cache.write(key, fixture.entry(CacheFixture.jpeg(12)))
        let whole = try fixture.contents(key)
        for bit in 0..<(whole.count * 8) {
            var flipped = whole
            flipped[bit / 8] ^= 1 << (bit % 8)
            try fixture.plant(flipped, at: key)
            #expect(cache.read(key).isAbsent, "bit \(bit)")
            #expect(!fixture.exists(key.description), "bit \(bit)")
        }
    }

    /// With `ONESHEET_EVERY_BYTE`, each bit of a file of 20 kB and each of its lengths; else some.
    @Test func `no flipped bit and no cut of an entry as large as a poster is served`() throws {
        let isFull = ProcessInfo.processInfo.environment["ONESHEET_EVERY_BYTE"] != nil
        let key = try CacheFixture.poster()
        let cache = try fixture.open()
        try cache.write(key, fixture.entry(CacheFixture.jpeg(20_000)))
        let whole = try fixture.contents(key)
        let bits = stride(from: 3, to: whole.count * 8, by: isFull ? 1 : 397)
        for bit in bits {
            var flipped = whole
            flipped[bit / 8] ^= 1 << (bit % 8)
            try fixture.plant(flipped, at: key)
            guard cache.read(key).isAbsent, !fixture.exists(key.description) else {
                Issue.record("bit \(bit)")
                continue
            }
        }
        for length in stride(from: 0, to: whole.count, by: isFull ? 1 : 211) {
            try fixture.plant(Array(whole.prefix(length)), at: key)
            guard cache.read(key).isAbsent, !fixture.exists(key.description) else {
                Issue.record("length \(length)")
                continue
            }
        }
    }

    @Test func `an entry that was copied to another place is refused there`() throws {
        let (small, large) = (
            try CacheFixture.poster("A1", .w185), try CacheFixture.poster("A1", .w500)
        )
        let cache = try fixture.open()
        try cache.write(small, fixture.entry())
        try fixture.plant(fixture.contents(small), at: large)
        #expect(cache.read(large).isAbsent)
        #expect(fixture.metrics.badEntries[.key] == 1)
        #expect(cache.read(small).entry != nil)
    }

    @Test func `bytes that were altered in place are noticed by what the system stamps`() throws {
        let key = try CacheFixture.poster()
        let cache = try fixture.open()
        let entry = fixture.entry()
        try cache.write(key, entry)
        #expect(cache.read(key).entry != nil)
        var before = stat()
        #expect(lstat(fixture.file(key), &before) == 0)
        let file = open(fixture.file(key), O_RDWR)
        defer { close(file) }
        #expect(pwrite(file, [UInt8(7)], 1, 700) == 1)
        // Length and times as they were; only the time of the change, which no program can set,
        // has moved on, as soon as the system's clock has.
        var after = before
        while after.st_ctim.tv_nsec == before.st_ctim.tv_nsec {
            #expect(futimens(file, [before.st_atim, before.st_mtim]) == 0)
            #expect(fstat(file, &after) == 0)
        }
        #expect(after.st_mtim.tv_nsec == before.st_mtim.tv_nsec && after.st_size == before.st_size)
        if case .same = cache.standing(of: key, entry) { Issue.record("it counts as the same") }
        #expect(cache.read(key).isAbsent)
        #expect(fixture.metrics.badEntries[.body] == 1)
    }

    @Test func `renewing sets the time of the same bytes alone`() throws {
        let key = try CacheFixture.poster()
        let cache = try fixture.open()
        let (old, new) = (fixture.entry(daysOld: 40), fixture.entry(CacheFixture.jpeg(seed: 9)))
        #expect(try !cache.renew(key, old, at: fixture.now))
        try cache.write(key, old)
        #expect(try cache.renew(key, old, at: fixture.now))
        #expect(cache.read(key).entry?.validated == fixture.now)
        #expect(cache.read(key).entry?.picture.made == old.picture.made)
        try cache.write(key, new)
        #expect(try !cache.renew(key, old, at: Timestamp(seconds: 1)))
        #expect(cache.read(key).entry?.validated == new.validated)
    }

    @Test func `a use is noted once an hour`() throws {
        let key = try CacheFixture.poster()
        try fixture.open().write(key, fixture.entry())
        fixture.setAge(key.description, modified: 86_400, accessed: 7200)
        let cache = try fixture.open()
        func lastUse() throws -> Timestamp? {
            try CacheDirectory(existing: fixture.path).folder(SealedPlace(key).folders)?
                .status(key.path.fileName)?.accessed
        }
        _ = cache.read(key)
        #expect(try lastUse() == fixture.now - .seconds(7200))
        cache.noteUse(of: key, now: fixture.now)
        #expect(try lastUse() == fixture.now)
        cache.noteUse(of: key, now: fixture.now + .seconds(1800))
        #expect(try lastUse() == fixture.now)
        cache.noteUse(of: key, now: fixture.now + .seconds(3601))
        #expect(try lastUse() == fixture.now + .seconds(3601))
        #expect(cache.read(key).entry?.validated == fixture.now - .seconds(86_400))
    }

    @Test func `a change by another process is seen without reading`() throws {
        let key = try CacheFixture.poster()
        let (cache, other) = (try fixture.open(), try fixture.open())
        let entry = fixture.entry(daysOld: 2)
        try cache.write(key, entry)
        func isSame() -> Bool {
            if case .same = cache.standing(of: key, entry) { true } else { false }
        }
        #expect(isSame())
        cache.noteUse(of: key, now: fixture.now + .seconds(7200))
        #expect(isSame())
        #expect(try other.renew(key, entry, at: fixture.now))
        #expect(!isSame())
        try cache.write(key, entry)
        #expect(isSame())
        try FileManager.default.removeItem(atPath: fixture.file(key))
        #expect(!isSame())
    }
}
