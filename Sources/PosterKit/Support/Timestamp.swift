import Glibc

/// A moment of the wall clock, in nanoseconds since 1970-01-01T00:00:00Z, as files bear it.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Nanoseconds since 1970, negative before.
    public var nanoseconds: Int64

    /// The moment `nanoseconds` after 1970.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The moment `seconds` after 1970; the range ends in the years 1677 and 2262, and what lies
    /// outside (an HTTP date may) is its end.
    public init(seconds: Int64) {
        let (scaled, isTooFar) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        nanoseconds = isTooFar ? (seconds < 0 ? .min : .max) : scaled
    }

    init(_ time: timespec) {
        nanoseconds = Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    /// What the system's clock says. The only reader of the wall clock in the package.
    public static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(time)
    }

    /// Whole seconds since 1970, rounded down.
    public var seconds: Int64 {
        let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// As system calls take it.
    var systemTime: timespec {
        timespec(tv_sec: Int(seconds), tv_nsec: Int(nanoseconds - seconds * 1_000_000_000))
    }

    /// Earlier to later.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The moment a duration later; stops at the ends of the range instead of overflowing.
    public static func + (time: Timestamp, duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, sumOverflow) = time.nanoseconds.addingReportingOverflow(
            scaled &+ attoseconds / 1_000_000_000)
        guard !overflow, !sumOverflow else {
            return Timestamp(nanoseconds: seconds < 0 ? .min : .max)
        }
        return Timestamp(nanoseconds: sum)
    }

    /// The moment a duration earlier.
    public static func - (time: Timestamp, duration: Duration) -> Timestamp {
        time + (.zero - duration)
    }

    /// How much later `left` is than `right`.
    public static func - (left: Timestamp, right: Timestamp) -> Duration {
        .nanoseconds(left.nanoseconds) - .nanoseconds(right.nanoseconds)
    }
}
