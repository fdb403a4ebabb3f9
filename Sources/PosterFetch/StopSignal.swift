import PosterBase

/// A flag that is set once, and that a thread can wait for instead of sleeping.
package final class StopSignal: Sendable {
    private let flag = Monitor(false)

    package init() {}

    /// Sets it, and ends every wait.
    package func raise() {
        flag.withLock { $0 = true }
        flag.notifyAll()
    }

    /// Whether it is set.
    package var isRaised: Bool { flag.withLock { $0 } }

    /// Waits until `deadline`, or until it is set: then `true`. Blocks.
    package func wait(until deadline: ContinuousClock.Instant) -> Bool {
        flag.wait(until: deadline) { $0 ? true : nil } ?? false
    }
}
