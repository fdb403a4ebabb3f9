import Amodb
import Foundation
import Testing

@testable import PosterBase
@testable import PosterCache
@testable import PosterKit

/// A cache that a later version of the program has filled, or an earlier one.
@Suite struct LaterVersionTests {
    private let fixture = CacheFixture()

    /// A file with the version of its seal changed, and all else in order.
    static func changed(_ file: [UInt8], version: UInt8 = 2) throws -> [UInt8] {
        let tail = Array(file.suffix(8))
        let length = tail[0..<4].reversed().reduce(0) { $0 << 8 | Int($1) }
        var seal = Array(file.suffix(length).dropLast(24))
        seal[8] = version
        let hash = ContentHash(of: seal)
        let words = [hash.high, hash.low].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
        }
        return Array(file.prefix(file.count - length)) + seal + words + tail
    }

    @Test func `all of it is a miss, nothing is deleted, and the log has one line`() throws {
        let keys = try (0..<110).map { try CacheFixture.poster("V\($0)") }
        let filling = try fixture.open()
        for key in keys {
            try filling.write(key, fixture.entry(CacheFixture.jpeg(50)))
            try fixture.plant(try Self.changed(fixture.contents(key)), at: key)
        }
        let lines = Monitor<[String]>([])
        let cache = try fixture.open(log: Log { _, line in lines.withLock { $0.append(line) } })
        for key in keys { #expect(cache.read(key).isAbsent) }
        #expect(fixture.metrics.badEntries[.version] == keys.count)
        #expect(keys.allSatisfy { fixture.exists($0.description) })
        let told = lines.withLock { $0 }
        #expect(told.count == 1)
        #expect(told.first?.contains("event=cache_entries_bad reason=version found=100") == true)
        // Whoever fetches anew replaces them one by one.
        try cache.write(keys[0], fixture.entry())
        #expect(cache.read(keys[0]).entry != nil)
        #expect(cache.read(keys[1]).isAbsent && fixture.exists(keys[1].description))
        #expect(lines.withLock { $0.count } == 1)
        let counted = try Statistics.survey(fixture.path, maxAge: .seconds(9999), now: fixture.now)
        #expect(counted.rows.map(\.entries) == [keys.count])
        let pruned = try Prune.run(fixture.path, .init(maxAge: .seconds(9999)), now: fixture.now)
        #expect(pruned.deleted == 0 && pruned.foreign == 0)
    }

    /// A rate that is told of by seconds since the start.
    private func told(_ times: [Int]) -> [Int] {
        var rate = BadEntryRate()
        let start = ContinuousClock.now
        return times.filter { rate.note(now: start + .seconds($0)) }
    }

    @Test func `a hundred within a minute are told of once, until a minute had fewer`() {
        #expect(told(Array(repeating: 0, count: 99)) == [])
        #expect(told(Array(repeating: 0, count: 99) + [59]) == [59])
        #expect(told(Array(repeating: 0, count: 99) + [60]) == [])
        // A flood that goes on is no news.
        let flood = (0..<5).flatMap { Array(repeating: $0 * 60, count: 150) }
        #expect(told(flood) == [0])
        #expect(told(flood + Array(repeating: 1000, count: 100)) == [0, 1000])
        #expect(told(flood + [300, 301] + Array(repeating: 360, count: 100)) == [0, 360])
    }
}
