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
        self.init(clamping: Int128(seconds) * 1_000_000_000)
    }

    /// As the system has it; a file's time may lie outside the range, and is its end then.
    init(_ time: timespec) {
        self.init(clamping: Int128(time.tv_sec) * 1_000_000_000 + Int128(time.tv_nsec))
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

    /// Nanoseconds since the last whole second, never negative.
    public var nanosecondsOfSecond: Int64 {
        let remainder = nanoseconds % 1_000_000_000
        return remainder < 0 ? remainder + 1_000_000_000 : remainder
    }

    /// As system calls take it.
    var systemTime: timespec {
        timespec(tv_sec: Int(seconds), tv_nsec: Int(nanosecondsOfSecond))
    }

    /// Earlier to later.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The moment a duration later; stops at the ends of the range instead of overflowing.
    public static func + (time: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(clamping: Int128(time.nanoseconds) + duration.wholeNanoseconds)
    }

    /// The moment a duration earlier; stops at the ends of the range, too.
    public static func - (time: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(clamping: Int128(time.nanoseconds) - duration.wholeNanoseconds)
    }

    private init(clamping nanoseconds: Int128) { self.nanoseconds = Int64(clamping: nanoseconds) }

    /// How much later `left` is than `right`.
    public static func - (left: Timestamp, right: Timestamp) -> Duration {
        .nanoseconds(left.nanoseconds) - .nanoseconds(right.nanoseconds)
    }
}

extension Duration {
    /// All of it, in so many bits that nothing overflows.
    fileprivate var wholeNanoseconds: Int128 {
        let (seconds, attoseconds) = components
        return Int128(seconds) * 1_000_000_000 + Int128(attoseconds / 1_000_000_000)
    }
}
