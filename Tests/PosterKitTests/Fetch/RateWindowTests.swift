@testable import PosterKit
import Testing

@Suite struct RateWindowTests {
    @Test func `no second ever holds more than the limit, and a burst passes at once`() {
        var window = RateWindow(perSecond: 3)
        let start = ContinuousClock.now
        var (now, sent) = (start, [Duration]())
        for _ in 0..<10 {
            now = window.next(now: now)
            window.note(at: now)
            sent.append(now - start)
        }
        let seconds = [0, 0, 0, 1, 1, 1, 2, 2, 2, 3]
        #expect(sent == seconds.map { .seconds($0) })
    }

    @Test func `a slow asker never waits`() {
        var window = RateWindow(perSecond: 2)
        var now = ContinuousClock.now
        for _ in 0..<10 {
            #expect(window.next(now: now) == now)
            window.note(at: now)
            now += .milliseconds(500)
        }
    }

    @Test func `nought is no limit`() {
        var window = RateWindow(perSecond: 0)
        let now = ContinuousClock.now
        for _ in 0..<1000 { window.note(at: now) }
        #expect(window.next(now: now) == now)
    }
}
