import Synchronization

/// A number that any thread adds to, without a lock.
package final class Tally: Sendable {
    private let number = Atomic<Int>(0)

    /// Zero.
    package init() {}

    /// Adds; a negative amount takes away.
    package func add(_ amount: Int) { number.wrappingAdd(amount, ordering: .relaxed) }

    /// The sum so far.
    package var value: Int { number.load(ordering: .relaxed) }
}
