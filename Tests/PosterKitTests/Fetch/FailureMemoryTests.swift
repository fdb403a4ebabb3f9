import Amodb
import Testing

@testable import PosterCache
@testable import PosterFetch
@testable import PosterKit

@Suite struct FailureMemoryTests {
    private let start = ContinuousClock.now
    private let key: EntryKey

    init() throws { key = .poster(try PosterPath("/abc.jpg"), .w342) }

    private func failure(_ reason: FetchError.Reason) -> Unavailability {
        .failed(FetchError(reason, ""))
    }

    @Test(
        "each kind is remembered for its time",
        arguments: [
            (Unavailability.missing(status: 404), 3600), (.missing(status: 410), 3600),
            (.failed(FetchError(.notAnImage, "")), 600),
            (.failed(FetchError(.tooLarge, "")), 600),
            (.failed(FetchError(.redirectRefused, "")), 600),
            (.failed(FetchError(.denied, "status 403")), 600),
            (.failed(FetchError(.status5xx, "")), 15),
            (.failed(FetchError(.firstByteTimeout, "")), 15),
            (.failed(FetchError(.truncatedImage, "")), 15),
        ])
    func lifetimes(unavailability: Unavailability, seconds: Int) {
        let memory = FailureMemory(capacity: 10, jitter: { 0 })
        memory.remember(key, unavailability, now: start)
        #expect(
            memory.recall(key, now: start + .seconds(seconds) - .nanoseconds(1)) == unavailability)
        #expect(memory.recall(key, now: start + .seconds(seconds)) == nil)
    }

    @Test func `posters that were missing together are not asked for together`() {
        let memory = FailureMemory(capacity: 10, jitter: { 0.5 })
        memory.remember(key, .missing(status: 404), now: start)
        #expect(memory.recall(key, now: start + .seconds(3779)) != nil)
        #expect(memory.recall(key, now: start + .seconds(3780)) == nil)
        memory.remember(key, failure(.status5xx), now: start)
        #expect(memory.recall(key, now: start + .seconds(15)) == nil)
    }

    @Test(
        "what belongs to the moment or the host is not remembered of a poster",
        arguments: [
            .backingOff, .busy, .deadline, .closed, .rateLimited,
        ] as [FetchError.Reason])
    func notRemembered(reason: FetchError.Reason) {
        let memory = FailureMemory(capacity: 10, jitter: { 0 })
        memory.remember(key, failure(reason), now: start)
        #expect(memory.recall(key, now: start) == nil)
    }

    @Test func `passing failures in a row double their time up to ten minutes`() {
        let memory = FailureMemory(capacity: 10, jitter: { 0 })
        var now = start
        for seconds in [15, 30, 60, 120, 240, 480, 600, 600] {
            memory.remember(key, failure(.status5xx), now: now)
            #expect(memory.recall(key, now: now + .seconds(seconds - 1)) != nil)
            now += .seconds(seconds)
            #expect(memory.recall(key, now: now) == nil)
        }
        memory.forget(key)
        memory.remember(key, failure(.status5xx), now: now)
        #expect(memory.recall(key, now: now + .seconds(15)) == nil)
    }

    @Test func `it never grows over its capacity and drops what ends soonest`() throws {
        let memory = FailureMemory(capacity: 100)
        memory.remember(key, .missing(status: 404), now: start)
        for number in 0..<1000 {
            let other = EntryKey.poster(try PosterPath("/p\(number).jpg"), .w342)
            memory.remember(other, failure(.status5xx), now: start)
            #expect(memory.count <= 100)
        }
        #expect(memory.recall(key, now: start) == .missing(status: 404))
    }
}
