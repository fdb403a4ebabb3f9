import PosterBase
import PosterKit

/// Holds a job in the middle until the test lets it go on, so that no test sleeps.
final class Gate: Sendable {
    private let state = Monitor((reached: 0, isOpen: false))

    /// Called by the job: tells that it came here, and waits until the gate is open.
    func pass() {
        state.withLock { $0.reached += 1 }
        state.notifyAll()
        state.wait { $0.isOpen ? () : nil }
    }

    /// Called by the test: waits until so many jobs stand at the gate.
    func waitUntilReached(by count: Int = 1) {
        state.wait { $0.reached >= count ? () : nil }
    }

    /// Lets every job through, now and later.
    func open() {
        state.withLock { $0.isOpen = true }
        state.notifyAll()
    }
}
