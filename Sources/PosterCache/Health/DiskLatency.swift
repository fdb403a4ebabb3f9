import Synchronization

/// Whether the disk has kept a caller waiting within the last seconds.
///
/// A look into the cache takes 20 µs where the kernel has the file in memory, and as long as it
/// pleases where a disk is asleep, worn or far away. Who must not wait that long asks here first,
/// and leaves the look to another thread.
package final class DiskLatency: Sendable {
    /// A look that takes longer was not answered from the kernel's memory.
    static let slow = Duration.milliseconds(5)
    /// For how long one such look counts.
    static let memory = Duration.seconds(10)

    private let began = ContinuousClock.now
    /// Milliseconds after `began` at which the disk is given another chance.
    private let slowUntil = Atomic<Int64>(.min)

    /// How long a look takes that makes the disk a slow one.
    let slow: Duration

    package init(slow: Duration = DiskLatency.slow) { self.slow = slow }

    /// Notes how long a look took that ended at `now`.
    package func note(_ took: Duration, now: ContinuousClock.Instant) {
        guard took >= slow else { return }
        slowUntil.store(milliseconds(now + Self.memory), ordering: .relaxed)
    }

    /// Whether a look at `now` is to be left to a thread that can wait.
    package func isSlow(now: ContinuousClock.Instant) -> Bool {
        milliseconds(now) < slowUntil.load(ordering: .relaxed)
    }

    private func milliseconds(_ instant: ContinuousClock.Instant) -> Int64 {
        let (seconds, attoseconds) = began.duration(to: instant).components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }
}
