import PosterBase
import PosterImages

/// Entries that a failing disk did not take, to be written once it takes files again.
///
/// Bounded by the bytes they stand for: those that came first are given up first. They are served
/// from memory as long as that has them, and then asked for again.
package final class UnstoredEntries: Sendable {
    private struct State {
        var entries: [EntryKey: CacheEntry] = [:]
        /// The keys, the first that came first.
        var order: [EntryKey] = []
        var bytes = 0
        /// Whether they are to be tried again already.
        var isRetrySet = false

        mutating func remove(_ key: EntryKey) -> CacheEntry? {
            guard let entry = entries.removeValue(forKey: key) else { return nil }
            bytes -= entry.picture.bytes.count
            if let place = order.firstIndex(of: key) { order.remove(at: place) }
            return entry
        }
    }

    private let state = Monitor(State())
    private let capacity: Int

    /// `capacity` in bytes.
    package init(capacity: Int) { self.capacity = capacity }

    /// Takes an entry in, in the place of one with the same key. `true` when the caller is to see
    /// to it that they are tried again.
    package func add(_ key: EntryKey, _ entry: CacheEntry) -> Bool {
        let length = entry.picture.bytes.count
        guard length <= capacity else { return false }
        return state.withLock { state in
            _ = state.remove(key)
            while state.bytes + length > capacity, let first = state.order.first {
                _ = state.remove(first)
            }
            state.entries[key] = entry
            state.order.append(key)
            state.bytes += length
            defer { state.isRetrySet = true }
            return !state.isRetrySet
        }
    }

    /// The entry that came first; `nil` when there is none, and then nothing is to be tried again.
    package func first() -> (key: EntryKey, entry: CacheEntry)? {
        state.withLock { state in
            guard let key = state.order.first, let entry = state.entries[key] else {
                state.isRetrySet = false
                return nil
            }
            return (key, entry)
        }
    }

    /// Gives an entry up: it is written, or gone for good.
    package func remove(_ key: EntryKey) {
        _ = state.withLock { $0.remove(key) }
        state.notifyAll()
    }

    package subscript(key: EntryKey) -> CacheEntry? { state.withLock { $0.entries[key] } }

    /// Waits until none is left. Blocks.
    func waitUntilEmpty() { state.wait { $0.entries.isEmpty ? () : nil } }
}
