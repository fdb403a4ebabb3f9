/// A flag that is set once, and that a thread can wait for instead of sleeping.
final class StopSignal: Sendable {
    private let isRaised = Monitor(false)

    init() {}

    /// Sets it, and ends every wait.
    func raise() {
        isRaised.withLock { $0 = true }
        isRaised.signal()
    }

    /// Waits until `deadline`, or until it is set: then `true`. Blocks.
    func wait(until deadline: ContinuousClock.Instant) -> Bool {
        isRaised.wait(until: deadline) { $0 ? true : nil } ?? false
    }
}
