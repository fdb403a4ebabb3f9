import Glibc

/// Milliseconds of the monotonic clock, coarse: a few of them late, and cheap to read.
package func milliseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
}

extension Duration {
    /// Whole milliseconds, cut off; a year at most and at least none, so that a sum with a moment
    /// cannot overflow.
    var inMilliseconds: Int64 {
        let (seconds, attoseconds) = min(max(self, .zero), .seconds(31_536_000)).components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }
}
