/// Where the moments come from that rules depend on; a test sets its own.
package struct TimeSource: Sendable {
    /// The wall clock, which files' times are compared with.
    package let now: @Sendable () -> Timestamp
    /// The monotonic clock, for how long ago something was done in this process.
    package let instant: @Sendable () -> ContinuousClock.Instant

    /// The machine's.
    package static let system = TimeSource(
        now: { Timestamp.now() }, instant: { ContinuousClock.now })
}

extension ContinuousClock.Instant {
    /// Nanoseconds since the machine was started, those asleep included (CLOCK_BOOTTIME): a number
    /// that means the same moment in every process.
    package var sinceBoot: Int64 {
        (Timestamp(nanoseconds: 0) + ContinuousClock().systemEpoch.duration(to: self)).nanoseconds
    }
}
