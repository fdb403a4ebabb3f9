import Foundation
import Testing

@testable import PosterKit

/// Several processes at work on one directory.
@Suite struct SharedDirectoryTests {
    /// A few rounds; with `ONESHEET_SOAK_SECONDS`, as many as that time takes.
    @Test func `two servers, a prefetch and a prune in a loop share one directory`() throws {
        let wanted = ProcessInfo.processInfo.environment["ONESHEET_SOAK_SECONDS"]
        let end = ContinuousClock.now + .seconds(wanted.flatMap { Int($0) } ?? 0)
        let soak = try Soak()
        var rounds = 0
        while rounds < 4 || ContinuousClock.now < end {
            try soak.round(rounds)
            rounds += 1
        }
        let served = try soak.finish()
        let count: Comment = "\(rounds) rounds, \(served) answers, \(soak.pruned) pruned"
        if wanted != nil { print(count) }
        #expect(served > 100, count)
        #expect(soak.pruned > 10)
        #expect(soak.faults == [])
    }
}
