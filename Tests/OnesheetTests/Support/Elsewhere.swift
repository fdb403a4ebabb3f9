import Foundation
import PosterBase
import PosterKit

/// Work on a thread of its own: what blocks there holds up no other test.
final class Elsewhere<Value: Sendable>: Sendable {
    private let slot = Monitor<Result<Value, any Error>?>(nil)

    init(_ work: @escaping @Sendable () throws -> Value) {
        Thread.detachNewThread { [slot] in
            let result = Result(catching: work)
            slot.withLock { $0 = result }
            slot.notifyAll()
        }
    }

    /// Waits for its end.
    func wait() throws -> Value { try slot.wait { $0 }.get() }
}
