import Amodb
import Foundation
import Testing
import TestSupport

@testable import FixtureOrigin
@testable import PosterCache
@testable import PosterImages
@testable import PosterKit

/// A month of the crontab in `deploy/`, row by row, under a clock that is set wrong and right
/// again.
@Suite struct CronMonthTests {
    /// At so many minutes after the start the clock is set ahead or back by so many hours.
    struct Jump: Sendable {
        var minute: Int
        var hours: Int64

        init(day: Int, _ hour: Int, _ minute: Int, hours: Int64) {
            self.minute = (day * 24 + hour) * 60 + minute
            self.hours = hours
        }
    }

    struct Month: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var jumps: [Jump]

        /// The prefetch runs at seven minutes past every hour, the prune at 4:20.
        static let all =
            [
                Month(testDescription: "a right clock", jumps: []),
                Month(
                    testDescription: "a year ahead, right before a prune",
                    jumps: [
                        Jump(day: 10, 4, 10, hours: 365 * 24),
                        Jump(day: 13, 12, 0, hours: -365 * 24),
                    ]),
                Month(
                    testDescription: "forty days ahead for good",
                    jumps: [Jump(day: 12, 4, 10, hours: 40 * 24)]),
                Month(
                    testDescription: "a year back",
                    jumps: [
                        Jump(day: 5, 12, 0, hours: -365 * 24), Jump(day: 8, 12, 0, hours: 365 * 24),
                    ]),
                Month(
                    testDescription: "before time began, for a morning",
                    jumps: [
                        Jump(day: 7, 1, 0, hours: -18_000 * 24),
                        Jump(day: 7, 9, 0, hours: 18_000 * 24),
                    ]),
                Month(
                    testDescription: "an hour ahead and back",
                    jumps: [Jump(day: 3, 4, 15, hours: 1), Jump(day: 20, 4, 15, hours: -1)]),
            ] + (1...4).map { Month(seed: $0) }

        init(testDescription: String, jumps: [Jump]) {
            (self.testDescription, self.jumps) = (testDescription, jumps)
        }

        /// Three times wrong, by whatever, each for up to three days; right at noon again.
        init(seed: UInt64) {
            var state = seed
            func number(_ range: ClosedRange<Int>) -> Int {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return range.lowerBound + Int(state >> 33) % range.count
            }
            testDescription = "seed \(seed)"
            jumps = (0..<3).flatMap { turn in
                let day = 2 + turn * 9 + number(0...3)
                let hours = Int64(number(-400 * 24...400 * 24))
                return [
                    Jump(day: day, number(5...23), number(0...59), hours: hours),
                    Jump(day: day + number(1...3), 12, 0, hours: -hours),
                ]
            }
        }
    }

    private enum Row { case prefetch, prune }

    /// The rows of the crontab with the minutes of a day at which they run.
    private static func rows() throws -> [(minute: Int, row: Row)] {
        let file = URL(filePath: Fixtures.folder).deletingLastPathComponent()
            .appending(path: "deploy/crontab")
        var rows: [(minute: Int, row: Row)] = []
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard let minute = Int(fields[0]) else { continue }
            let row: Row = line.contains(" prune ") ? .prune : .prefetch
            let hours = Int(fields[1]).map { [$0] } ?? Array(0..<24)
            rows += hours.map { ($0 * 60 + minute, row) }
        }
        return rows.sorted { $0.minute < $1.minute }
    }

    private static let policy = Prune.Policy(
        maxAge: .seconds(30 * 86_400), maxBytes: 20 << 30, minFreeBytes: 1 << 20)

    @Test("nothing in use is lost, and the month ends in order", arguments: Month.all)
    func month(_ month: Month) throws {
        let bench = StoreBench()
        let variant = try ThumbnailVariant(width: 60, height: 90)
        let posters = Fixtures.posters
        let (listed, dropped, old, visited) = (
            Array(posters[0..<4]), posters[4], EntryKey.poster(posters[5], .w342), posters[6]
        )
        let inUse = Set(
            listed.flatMap { [EntryKey.poster($0, .w342), .thumbnail($0, variant)] })
        let rows = try Self.rows()
        #expect(rows.count == 25)
        var jumps = month.jumps[...]
        var (minutesGone, fetched, named) = (0, 0, false)
        var last: Prune.Summary?

        for day in 0..<36 {
            let store = try bench.store()
            defer { store.close() }
            func ask(_ path: PosterPath, _ rendition: PosterRequest.Rendition = .poster(.w342)) {
                let request = PosterRequest(path, rendition, priority: .background)
                #expect(store.ask(request).picture != nil, "day \(day)")
            }
            if day == 0 {
                ask(posters[5])
                bench.age(old, days: 20)
            }
            for (minute, row) in rows {
                let minutes = day * 24 * 60 + minute
                bench.advance(by: .seconds((minutes - minutesGone) * 60))
                minutesGone = minutes
                while let jump = jumps.first, jump.minute <= minutes {
                    bench.step(by: .seconds(jump.hours * 3600))
                    // A visitor comes while it is wrong.
                    if jumps.count == month.jumps.count { ask(visited) }
                    jumps.removeFirst()
                }
                switch row {
                case .prefetch:
                    for path in listed + (day < 3 ? [dropped] : []) {
                        ask(path)
                        ask(path, .thumbnail(variant))
                    }
                case .prune:
                    let summary = try bench.prune(Self.policy)
                    #expect(inUse.isSubset(of: bench.entries), "day \(day)")
                    #expect(summary.failures.isEmpty && summary.unmet.isEmpty)
                    if month.jumps.isEmpty {
                        #expect(summary.isComplete && summary.oddityCount == 0)
                        #expect(bench.entries.contains(old) == (day < 10))
                    }
                    named = named || summary.oddityCount > 0
                    last = summary
                }
            }
            fetched += store.metrics.fetch.successes[.fetched]
        }
        #expect(last?.isComplete == true)
        #expect(inUse == Set(bench.entries).subtracting([.poster(visited, .w342)]))
        // Whatever the clock said, what upstream has not changed was not sent again.
        #expect(fetched == listed.count + 2 + (month.jumps.isEmpty ? 0 : 1))
        if month.testDescription.hasPrefix("a year") { #expect(named) }
    }
}
