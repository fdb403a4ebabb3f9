/// Where the moments come from that rules depend on; a test sets its own.
struct Clock: Sendable {
    /// The wall clock, which files' times are compared with.
    let now: @Sendable () -> Timestamp
    /// The monotonic clock, for how long ago something was done in this process.
    let instant: @Sendable () -> ContinuousClock.Instant

    /// The machine's.
    static let system = Clock(now: { Timestamp.now() }, instant: { ContinuousClock.now })
}

extension ContinuousClock.Instant {
    /// Nanoseconds since the machine was started, those asleep included (CLOCK_BOOTTIME): a number
    /// that means the same moment in every process.
    var sinceBoot: Int64 {
        (Timestamp(nanoseconds: 0) + ContinuousClock().systemEpoch.duration(to: self)).nanoseconds
    }
}
