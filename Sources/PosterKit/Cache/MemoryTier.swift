/// The entries used last, in memory, bounded by bytes.
final class MemoryTier: Sendable {
    /// `capacity` in bytes of pictures; 0 keeps nothing.
    init(capacity: Int) { fatalError("unbuilt") }

    /// The entry, and when it was last compared with the disk.
    func entry(_ key: EntryKey) -> (entry: CacheEntry, checked: ContinuousClock.Instant)? {
        fatalError("unbuilt")
    }

    /// Keeps an entry, and drops those used longest ago while over the capacity.
    func insert(_ key: EntryKey, _ entry: CacheEntry, checked: ContinuousClock.Instant) {
        fatalError("unbuilt")
    }

    /// Drops an entry.
    func remove(_ key: EntryKey) { fatalError("unbuilt") }
}
