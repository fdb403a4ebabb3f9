import Amodb
import Foundation
import Testing
import TestSupport

@testable import PosterCache
@testable import PosterKit

/// Counting and verifying what lies in a cache.
@Suite struct SurveyTests {
    private let fixture = CacheFixture()

    @Test func `entries are counted by kind and size, the rest apart`() throws {
        let cache = try fixture.open()
        try cache.write(CacheFixture.poster("A1"), fixture.entry(daysOld: 31))
        try cache.write(CacheFixture.poster("B1"), fixture.entry(daysOld: 2))
        try cache.write(CacheFixture.thumbnail("A1"), fixture.entry(CacheFixture.jpeg(50)))
        try fixture.plant([1], at: CacheFixture.poster("B1", .w500))
        for name in ["tmp/onesheet-1-a", "stray", "posters/w342/B1/B1.jpg.bak"] {
            try Data("x".utf8).write(to: URL(fileURLWithPath: "\(fixture.path)/\(name)"))
        }
        let found = try Statistics.survey(
            fixture.path, maxAge: .seconds(30 * 86_400), now: fixture.now)
        #expect(found.temporary == 1)
        #expect(found.foreign == 2)
        let names = ["posters/w342", "posters/w500", "thumbs/120x180-cover-q82.jpeg"]
        #expect(found.rows.map(\.name) == names)
        #expect(found.rows.map(\.entries) == [2, 1, 1])
        #expect(found.rows.map(\.expired) == [1, 0, 0])
        #expect(found.rows[0].oldest == fixture.now - .seconds(31 * 86_400))
        #expect(found.rows[0].newest == fixture.now - .seconds(2 * 86_400))
        #expect(found.rows[0].bytes > 8000)
        #expect(throws: Prune.Refusal.notOurs("/proc")) {
            try Statistics.survey("/proc", maxAge: .zero, now: fixture.now)
        }
    }

    @Test("every entry is checked, and bad ones go when asked to", arguments: [false, true])
    func verified(deletesBad: Bool) throws {
        let cache = try fixture.open()
        let keys = try (0..<20).map { try CacheFixture.poster("N\($0)") }
        for key in keys { try cache.write(key, fixture.entry()) }
        let lists = try ListCache(directory: fixture.path, log: .silent, metrics: fixture.metrics)
        for request in ["/a", "/b"] {
            try lists.write(request, ListCache.Kept(body: [0x7B, 0x7D], fetched: fixture.now))
        }
        var flipped = try fixture.contents(keys[3])
        flipped[700] ^= 1
        try fixture.plant(flipped, at: keys[3])
        try fixture.plant([], at: keys[4])
        try fixture.plant(fixture.contents(keys[5]), at: keys[6])
        let (a, b) = (SealedPlace(list: "/a").name, SealedPlace(list: "/b").name)
        let folder = URL(fileURLWithPath: fixture.path + "/lists")
        try Data(contentsOf: folder.appendingPathComponent(a))
            .write(to: folder.appendingPathComponent(b))
        var last: (entries: Int, total: Int?)?
        let found = try Verification.run(fixture.path, deletesBad: deletesBad) {
            last = ($0.examined, $1)
        }
        #expect(found.examined == 22 && last?.entries == 22 && last?.total == 22)
        let bad: [String: EntryFault] = [
            keys[3].description: .body, keys[4].description: .empty, keys[6].description: .key,
            "lists/\(b)": .key,
        ]
        #expect(Dictionary(uniqueKeysWithValues: found.bad.map { ($0.path, $0.why) }) == bad)
        #expect(found.deleted == (deletesBad ? 4 : 0))
        #expect(found.failures.isEmpty)
        #expect(bad.keys.allSatisfy { fixture.exists($0) != deletesBad })
        #expect(fixture.home.files().count == 1 + 22 - (deletesBad ? 4 : 0))
    }

    @Test func `an empty cache verifies`() throws {
        _ = try fixture.open()
        #expect(try Verification.run(fixture.path, deletesBad: true).examined == 0)
    }
}
