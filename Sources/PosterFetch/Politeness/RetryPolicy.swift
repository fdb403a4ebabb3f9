/// How often a failed request is sent again, and how long to wait before: exponential with full
/// jitter, so that many clients that failed together do not come back together (M. Brooker,
/// "Exponential Backoff and Jitter", AWS Architecture Blog, 2015).
package struct RetryPolicy: Sendable {
    /// Retries after the first attempt.
    var count: Int
    /// The upper bound of the first wait; each further one's is twice as long.
    var firstBound: Duration = .milliseconds(250)
    /// Set when the store closes: ends a wait at once, and further attempts.
    var stop = StopSignal()

    /// A number from 0 up to 1 that decides a wait within its bound.
    package var jitter: @Sendable () -> Double

    package init(
        count: Int = 2, jitter: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
    ) {
        (self.count, self.jitter) = (count, jitter)
    }

    /// The same, ended by a signal.
    package func ended(by stop: StopSignal) -> RetryPolicy {
        var policy = self
        policy.stop = stop
        return policy
    }

    /// How long to wait before the retry number `retry`, from 1.
    func pause(before retry: Int) -> Duration {
        firstBound * (1 << min(max(retry, 1) - 1, 10)) * jitter()
    }

    /// Waits before a retry. `false`: do not retry, because `end` would pass or the store closes.
    /// Blocks.
    func wait(before retry: Int, until end: ContinuousClock.Instant) -> Bool {
        let turn = ContinuousClock.now + pause(before: retry)
        return turn < end && !stop.wait(until: turn)
    }
}
