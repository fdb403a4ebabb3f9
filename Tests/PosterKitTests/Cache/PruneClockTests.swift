import Amodb
import Foundation
import Testing
import TestSupport

@testable import PosterBase
@testable import PosterCache
@testable import PosterKit

/// What a prune does with times that are wrong, and with a clock that is.
@Suite struct PruneClockTests {
    private let fixture = CacheFixture()
    private let month = Duration.seconds(30 * 86_400)
    private static let day: Int64 = 86_400

    private func add(_ names: [String], daysOld: Int64, usedDaysAgo: Int64 = 0) throws {
        let cache = try fixture.openUnsynced()
        for name in names {
            let key = try CacheFixture.poster(name)
            try cache.write(key, fixture.entry())
            fixture.setAge(
                key.description, modified: daysOld * Self.day, accessed: usedDaysAgo * Self.day)
        }
    }

    private func prune(
        after days: Int64 = 0, _ change: (inout Prune.Policy) -> Void = { _ in }
    ) throws -> (summary: Prune.Summary, deleted: Int) {
        var policy = Prune.Policy(maxAge: month)
        change(&policy)
        let now = fixture.now + .seconds(days * Self.day)
        let summary = try Prune.run(fixture.path, policy, now: now)
        return (summary, summary.deleted)
    }

    private func names(_ prefix: String, _ count: Int) -> [String] {
        (0..<count).map { "\(prefix)\($0)" }
    }

    @Test("a few entries dated ahead are named, and all others pruned", arguments: [1, 3, 10])
    func few(ahead: Int) throws {
        try add(names("Old", 8), daysOld: 31)
        try add(names("New", 8), daysOld: 1)
        try add(names("Ahead", ahead), daysOld: -400)
        let (summary, deleted) = try prune()
        #expect(deleted == 8 && summary.isComplete)
        #expect(summary.oddities.count == ahead && summary.oddityCount == ahead)
        #expect(summary.oddities.allSatisfy { $0.reason == .datedAhead })
        #expect(
            try summary.oddities.contains {
                try $0.path == CacheFixture.poster("Ahead0").description
            })
        #expect(fixture.exists(try CacheFixture.poster("Ahead0").description))
        // A month after it came, by the file system's own time, it is old whatever its date says.
        #expect(try prune(after: 31) { $0.trustsClock = true }.deleted == 8 + ahead)
    }

    @Test("a day ahead is not wrong yet", arguments: [(23, 0), (25, 1)])
    func tolerance(hours: Int64, named: Int) throws {
        try add(names("New", 3), daysOld: 1)
        fixture.setAge(
            try CacheFixture.poster("New0").description, modified: -hours * 3600, accessed: 0)
        #expect(try prune().summary.oddityCount == named)
    }

    @Test func `with most entries ahead of it the clock is wrong, and says so`() throws {
        try add(names("Old", 4), daysOld: 31)
        try add(names("New", 5), daysOld: -2)
        let (summary, deleted) = try prune()
        #expect(deleted == 0)
        #expect(summary.clockDoubt == .behind(entries: 5, of: 9) && !summary.isComplete)
        #expect(try prune { $0.trustsClock = true }.deleted == 4)
        // A limit counts in any case.
        #expect(try prune { $0.maxEntries = 2 }.deleted == 3)
    }

    @Test(
        "a clock that jumped ahead deletes nothing for its age", arguments: [31, 40, 365, 20_000])
    func jumped(days: Int64) throws {
        // Used until today, some of it for two weeks.
        for age in 0..<14 as Range<Int64> {
            try add(names("D\(age)N", 3), daysOld: age, usedDaysAgo: age / 2)
        }
        let (summary, deleted) = try prune(after: days)
        #expect(deleted == 0 && summary.clockDoubt == .ahead(entries: 42, of: 42))
        #expect(try prune(after: days) { $0.maxEntries = 40 }.deleted == 2)
        #expect(try prune(after: days) { $0.trustsClock = true }.deleted == 40)
    }

    @Test(
        "a cache out of use goes once prunes have run under its clock for a week",
        arguments: [31, 60, 400], [1, 7])
    func outOfUse(days: Int64, pause: Int64) throws {
        try add(names("Old", 20), daysOld: 0)
        var nights: [Int] = []
        for night in stride(from: days, through: days + 21, by: Int(pause)) {
            nights.append(try prune(after: night).deleted)
        }
        let night = Int(7 / pause)
        #expect(nights[..<night].allSatisfy { $0 == 0 } && nights[night] == 20, "\(nights)")
    }

    @Test func `a clock that jumps while it is pruned every night begins its week anew`() throws {
        try add(names("Old", 20), daysOld: 0)
        for night in 0..<20 as Range<Int64> { #expect(try prune(after: night).deleted == 0) }
        // A year ahead for six nights, then right again, then a year ahead once more.
        for night in 385..<392 as Range<Int64> { #expect(try prune(after: night).deleted == 0) }
        for night in 26..<29 as Range<Int64> { #expect(try prune(after: night).deleted == 0) }
        for night in 394..<401 as Range<Int64> { #expect(try prune(after: night).deleted == 0) }
        // A dry run is no prune.
        #expect(try prune(after: 408) { $0.isDryRun = true }.deleted == 20)
        #expect(try prune(after: 410).deleted == 0)
    }

    @Test func `a cache that is in use is pruned however much of it has expired`() throws {
        // Never pruned for three months, and used every day: two thirds have expired.
        let rule = EvictionRule(policy: Prune.Policy(maxAge: month), now: fixture.now)
        var evidence = ClockEvidence()
        for age in 0..<90 as Range<Int64> {
            let status = try status(daysOld: age)
            evidence.add(status, isExpired: rule.isExpired(.entry(.posters), status), rule)
        }
        #expect(evidence.stale == 60 && evidence.doubt(steadyFor: .zero) == nil)
    }

    @Test func `a few strays in the gap do not make a jumped clock right`() throws {
        let rule = EvictionRule(policy: Prune.Policy(maxAge: month), now: fixture.now)
        for strays in [0, 5, 10, 11] {
            var evidence = ClockEvidence()
            for index in 0..<1000 as Range<Int64> {
                let status = try status(daysOld: 365 + index % 30)
                evidence.add(status, isExpired: true, rule)
            }
            for _ in 0..<strays {
                evidence.add(try status(daysOld: 10), isExpired: false, rule)
            }
            #expect((evidence.doubt(steadyFor: .zero) == nil) == (strays > 10), "\(strays)")
        }
    }

    /// As a file has it that was written, and never touched again.
    private func status(daysOld: Int64) throws -> FileStatus {
        var status = try Directory(fixture.home.path).status()
        let time = fixture.now - .seconds(daysOld * Self.day)
        (status.modified, status.accessed, status.changed) = (time, time, time)
        return status
    }

    @Test func `uses ahead of the clock are no uses, unless the clock is wrong`() throws {
        try add(["A", "B", "C"], daysOld: 1, usedDaysAgo: 1)
        try add(["D"], daysOld: -400, usedDaysAgo: -400)
        // Its times are all ahead but the file system's, which is today's.
        #expect(try prune { $0.maxEntries = 3 }.deleted == 1)
        #expect(fixture.exists(try CacheFixture.poster("D").description))
        let rule = EvictionRule(policy: Prune.Policy(maxAge: month), now: fixture.now)
        #expect(rule.lastUse(try status(daysOld: -400)) == Timestamp(seconds: 0))
        var doubting = rule
        doubting.judgesAge = false
        #expect(doubting.lastUse(try status(daysOld: -400)) > fixture.now)
    }
}
