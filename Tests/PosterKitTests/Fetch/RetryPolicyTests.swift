import Testing

@testable import PosterFetch
@testable import PosterKit

@Suite struct RetryPolicyTests {
    @Test func `waits are spread over a bound that doubles`() {
        var policy = RetryPolicy()
        policy.firstBound = .milliseconds(100)
        policy.jitter = { 0.5 }
        #expect(
            (1...3).map { policy.pause(before: $0) } == [50, 100, 200].map { .milliseconds($0) })
        policy.jitter = { 0 }
        #expect(policy.pause(before: 3) == .zero)
    }

    @Test func `a wait that would pass the end is not begun`() {
        var policy = RetryPolicy()
        (policy.firstBound, policy.jitter) = (.seconds(3600), { 1 })
        #expect(!policy.wait(before: 1, until: .now + .seconds(60)))
    }
}
