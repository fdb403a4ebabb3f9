import Testing

@testable import PosterHTTP
@testable import PosterServer

@Suite struct TimerWheelTests {
    /// Moments that were added, in a list: slow and obvious.
    private struct Model {
        var moments: [(key: UInt64, moment: Int64)] = []

        mutating func due(at now: Int64) -> [UInt64] {
            let due = moments.filter { $0.moment <= now }.map(\.key)
            moments.removeAll { $0.moment <= now }
            return due.sorted()
        }
    }

    @Test(
        "what is due is told once, a tick late at most, whatever jumps the clock makes",
        arguments: 0..<20)
    func model(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var now = Int64.random(in: 0...1_000_000_000, using: &random)
        var (wheel, model) = (TimerWheel(now: now), Model())
        var told = Set<UInt64>()
        for key in 0..<2000 as Range<UInt64> {
            let ahead =
                [0, 10, 63, 64, 65, 1000, 10_000, 60_000, 65_536, 70_000, 200_000]
                .randomElement(using: &random) ?? 0
            let moment = now + Int64(ahead) - Int64.random(in: 0...5, using: &random)
            wheel.add(key, at: moment)
            model.moments.append((key, moment))
            let jump = Int.random(in: 0..<200, using: &random) == 0 ? 1_000_000 : 500
            now += Int64.random(in: 0...Int64(jump), using: &random)
            for due in wheel.due(at: now) {
                #expect(due.moment <= now)
                #expect(told.insert(due.key).inserted)
            }
            // What was due a tick ago has been told.
            for key in model.due(at: now - 2 * TimerWheel.tick) { #expect(told.contains(key)) }
            if let next = wheel.nextDue { #expect(next > now - TimerWheel.tick) }
        }
        for due in wheel.due(at: now + 1_000_000) { told.insert(due.key) }
        #expect(told.count == 2000)
        #expect(wheel.nextDue == nil)
    }

    @Test func `the next wait ends when the next deadline is due`() {
        var wheel = TimerWheel(now: 0)
        #expect(wheel.nextDue == nil)
        for (moment, latest) in [(60_000, 60_064), (10_000, 10_064), (100, 164)] as [(Int64, Int64)]
        {
            wheel.add(1, at: moment)
            let next = wheel.nextDue ?? 0
            #expect((moment + 1...latest).contains(next))
        }
        #expect(wheel.due(at: 99).isEmpty)
        #expect(wheel.due(at: 192).count == 1)
        #expect(wheel.nextDue.map { (10_001...10_064).contains($0) } == true)
    }
}
