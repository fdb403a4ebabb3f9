import Testing

@testable import PosterCache
@testable import PosterKit

/// Counting what the cache holds beside what it serves.
@Suite struct CacheCensusTests {
    private let fixture = CacheFixture()

    private func filled(_ count: Int) throws -> CacheFixture {
        let cache = try fixture.open()
        for number in 0..<count {
            try cache.write(CacheFixture.poster("N\(number)"), fixture.entry())
        }
        return fixture
    }

    @Test func `a count rests on its way and tells what it found`() throws {
        let fixture = try filled(5)
        let census = CacheCensus(
            directory: fixture.path, filesBetweenRests: 1, rest: .milliseconds(1))
        #expect(census.latest() == nil)
        census.waitForCount()
        #expect(census.latest()?.posters.entries == 5)
        census.stop()
    }

    // A rest that nothing ends but the stop: without that, the test takes an hour.
    @Test(.timeLimit(.minutes(1)))
    func `a count that is stopped half way ends at once, and tells nothing`() throws {
        let fixture = try filled(5)
        let census = CacheCensus(
            directory: fixture.path, filesBetweenRests: 2, rest: .seconds(3600))
        #expect(census.latest() == nil)
        census.stop()
        #expect(census.latest() == nil)
        #expect(census.latest(now: .now + .seconds(3600)) == nil)
        // Whoever comes late finds it ended, too.
        census.stop()
        census.waitForCount()
    }
}
