/// The values used last, in memory, bounded by the bytes they stand for.
final class MemoryTier<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// `capacity` in bytes; 0 keeps nothing.
    init(capacity: Int) { fatalError("unbuilt") }

    /// The value, and when it was last compared with the disk.
    func value(for key: Key) -> (value: Value, checked: ContinuousClock.Instant)? {
        fatalError("unbuilt")
    }

    /// Keeps a value that stands for so many bytes, and drops those used longest ago while over
    /// the capacity.
    func insert(_ key: Key, _ value: Value, bytes: Int, checked: ContinuousClock.Instant) {
        fatalError("unbuilt")
    }

    /// Drops a value.
    func remove(_ key: Key) { fatalError("unbuilt") }

    /// How many values are kept, and the bytes that they stand for.
    var load: (values: Int, bytes: Int) { fatalError("unbuilt") }
}
