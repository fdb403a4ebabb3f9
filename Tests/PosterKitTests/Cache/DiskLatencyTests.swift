import Testing

@testable import PosterCache
@testable import PosterKit

@Suite struct DiskLatencyTests {
    private let now = ContinuousClock.now

    @Test func `a disk is slow for a while after a look that took long`() {
        let pace = DiskLatency()
        #expect(!pace.isSlow(now: now))
        pace.note(DiskLatency.slow - .microseconds(1), now: now)
        #expect(!pace.isSlow(now: now))
        pace.note(DiskLatency.slow, now: now)
        #expect(pace.isSlow(now: now))
        #expect(pace.isSlow(now: now + DiskLatency.memory - .milliseconds(2)))
        #expect(!pace.isSlow(now: now + DiskLatency.memory))
    }

    @Test func `a quick look does not make a slow disk quick`() {
        let pace = DiskLatency()
        pace.note(.seconds(1), now: now)
        pace.note(.zero, now: now + .seconds(1))
        #expect(pace.isSlow(now: now + .seconds(1)))
    }
}
