import Synchronization

/// A number that any thread adds to, without a lock.
public final class Tally: Sendable {
    private let number = Atomic<Int>(0)

    /// Zero.
    public init() {}

    /// Adds; a negative amount takes away.
    public func add(_ amount: Int) { number.wrappingAdd(amount, ordering: .relaxed) }

    /// The sum so far.
    public var value: Int { number.load(ordering: .relaxed) }
}
