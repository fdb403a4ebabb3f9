import Testing

@testable import PosterBase
@testable import PosterCache
@testable import PosterKit

@Suite struct EvictionPlanTests {
    private struct Use {
        var recency: EvictionRule.Recency
        var bytes: Int
    }

    /// Uses that bunch up, as those of a prefetch do: many at nearly one moment.
    private let uses: [Use] = (0..<3000).map { index in
        var generator = UInt64(index) &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        generator ^= generator >> 29
        let second = Int64(generator % 40) * 90_000
        return Use(
            recency: EvictionRule.Recency(
                lastUse: Timestamp(nanoseconds: second * 1_000_000_000 + Int64(index % 7)),
                isPoster: generator & 64 == 0, inode: UInt64(index)),
            bytes: 1000 + Int(generator >> 40) % 5000)
    }

    /// How many the plan should take: sort all, and count the oldest until it is enough.
    private func expectedCount(_ need: Int) -> Int {
        var (left, count) = (need, 0)
        for use in uses.sorted(by: { $0.recency < $1.recency }) where left > 0 {
            left -= use.bytes
            count += 1
        }
        return count
    }

    @Test(
        "the line is the same however few times are kept",
        arguments: [1, 1000, 500_000, 6_000_000, 99_000_000], [5000, 900, 120])
    func line(need: Int, exactLimit: Int) {
        var plan = EvictionPlan(
            Timestamp(seconds: 0)...Timestamp(seconds: 10_000_000), exactLimit: exactLimit)
        var need = EvictionRule.Amount(bytes: need)
        let expected = expectedCount(need.bytes)
        for round in 0..<10 {
            for use in uses { plan.add(use.recency, EvictionRule.Amount(bytes: use.bytes)) }
            switch plan.outcome(need) {
            case .nothing:
                Issue.record("nothing to evict")
                return
            case .upTo(let line):
                #expect(uses.count { $0.recency <= line } == expected)
                return
            case .within(let finer, let rest):
                #expect(round < 6)
                (plan, need) = (finer, rest)
            }
        }
        Issue.record("no line was found")
    }

    @Test func `more uses at one moment than are kept go together`() {
        let moment = Timestamp(seconds: 50)
        var plan = EvictionPlan(Timestamp(seconds: 0)...Timestamp(seconds: 100), exactLimit: 3)
        for _ in 0..<9 {
            for inode in 0..<5 {
                let recency = EvictionRule.Recency(
                    lastUse: moment, isPoster: true, inode: UInt64(inode))
                plan.add(recency, EvictionRule.Amount(bytes: 10))
            }
            switch plan.outcome(EvictionRule.Amount(bytes: 15)) {
            case .nothing: Issue.record("nothing to evict")
            case .upTo(let line):
                #expect(
                    line
                        == EvictionRule.Recency(lastUse: moment, isPoster: true, inode: .max))
                return
            case .within(let finer, _): plan = finer
            }
        }
        Issue.record("no line was found")
    }

    @Test(
        "where all is not enough, all goes",
        arguments: [0, 1, 5, 4095, 4096, 4097, 10_000_000, Int64.max - 1], [0, 3, 100])
    func unreachable(length: Int64, exactLimit: Int) {
        let range = Timestamp(nanoseconds: 0)...Timestamp(nanoseconds: length)
        var plan = EvictionPlan(range, exactLimit: exactLimit)
        let uses = [0, length / 3, length / 2, length, length].enumerated().map { index, time in
            EvictionRule.Recency(
                lastUse: Timestamp(nanoseconds: time), isPoster: index % 2 == 0,
                inode: UInt64(index))
        }
        for use in uses { plan.add(use, EvictionRule.Amount(bytes: 10)) }
        guard case .upTo(let line) = plan.outcome(EvictionRule.Amount(bytes: 51)) else {
            Issue.record("no line was found")
            return
        }
        #expect(uses.allSatisfy { $0 <= line })
    }

    @Test func `no need evicts nothing`() {
        let plan = EvictionPlan(Timestamp(seconds: 0)...Timestamp(seconds: 100))
        guard case .nothing = plan.outcome(EvictionRule.Amount()) else {
            Issue.record("something to evict")
            return
        }
    }
}
