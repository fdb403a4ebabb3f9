import Amodb
import PosterBase
import PosterImages

/// The values used last, in memory, bounded by the bytes they stand for.
package final class MemoryTier<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let recent = Monitor(RecentValues<Key, Value>())
    private let capacity: Int

    /// `capacity` in bytes; 0 keeps nothing.
    package init(capacity: Int) { self.capacity = capacity }

    /// The value, and when it was last compared with the disk. Makes it the one used last.
    ///
    /// Every hit looks in here three times. The stages above call this from targets of their own, where
    /// the compiler does not specialize it: without these two lines a hit takes an eighth more
    /// instructions.
    @_specialize(where Key == EntryKey, Value == CacheEntry)
    @_specialize(where Key == PosterPath, Value == Tint)
    package func value(for key: Key) -> (value: Value, checked: ContinuousClock.Instant)? {
        recent.withLock { $0.use(key) }.map { ($0.value, $0.checked) }
    }

    /// Keeps a value that stands for so many bytes, and drops those used longest ago while over
    /// the capacity.
    package func insert(_ key: Key, _ value: Value, bytes: Int, checked: ContinuousClock.Instant) {
        let slot = RecentValues.Slot(key: key, value: value, bytes: bytes, checked: checked)
        // What is dropped is handed out, so that its memory is freed after the lock is.
        _ = recent.withLock { recent in
            var dropped = [recent.remove(key)]
            guard slot.cost <= capacity else { return dropped }
            while recent.bytes + slot.cost > capacity, let oldest = recent.oldestKey {
                dropped.append(recent.remove(oldest))
            }
            recent.add(slot)
            return dropped
        }
    }

    /// Drops a value.
    package func remove(_ key: Key) { _ = recent.withLock { $0.remove(key) } }

    /// How many values are kept, and the bytes that they stand for.
    package var load: (values: Int, bytes: Int) { recent.withLock { ($0.places.count, $0.bytes) } }
}

/// Values in the order of their use: slots that are linked by index, not by reference, so that
/// a use moves four numbers and allocates nothing.
private struct RecentValues<Key: Hashable & Sendable, Value: Sendable> {
    struct Slot: Sendable {
        let key: Key
        let value: Value
        let checked: ContinuousClock.Instant
        /// With what keys, texts and links take, roughly.
        let cost: Int
        var newer: Int?
        var older: Int?

        init(key: Key, value: Value, bytes: Int, checked: ContinuousClock.Instant) {
            self.key = key
            self.value = value
            self.checked = checked
            cost = bytes + 512
        }
    }

    private(set) var places: [Key: Int] = [:]
    private(set) var bytes = 0
    private var slots: [Slot?] = []
    private var freePlaces: [Int] = []
    private var newest: Int?
    private var oldest: Int?

    var oldestKey: Key? { oldest.flatMap { slots[$0]?.key } }

    mutating func use(_ key: Key) -> Slot? {
        guard let place = places[key] else { return nil }
        if place != newest {
            unlink(place)
            linkAsNewest(place)
        }
        return slots[place]
    }

    mutating func add(_ slot: Slot) {
        let place = freePlaces.popLast() ?? slots.endIndex
        if place == slots.endIndex { slots.append(slot) } else { slots[place] = slot }
        places[slot.key] = place
        bytes += slot.cost
        linkAsNewest(place)
    }

    mutating func remove(_ key: Key) -> Value? {
        guard let place = places.removeValue(forKey: key), let slot = slots[place] else {
            return nil
        }
        unlink(place)
        slots[place] = nil
        freePlaces.append(place)
        bytes -= slot.cost
        return slot.value
    }

    private mutating func linkAsNewest(_ place: Int) {
        slots[place]?.older = newest
        slots[place]?.newer = nil
        if let newest { slots[newest]?.newer = place }
        newest = place
        if oldest == nil { oldest = place }
    }

    private mutating func unlink(_ place: Int) {
        let (newer, older) = (slots[place]?.newer, slots[place]?.older)
        if let newer { slots[newer]?.older = older } else { newest = older }
        if let older { slots[older]?.newer = newer } else { oldest = newer }
    }
}
