import PosterBase
import PosterImages

/// Entries that have been answered with and are on their way to the disk, so that a request for
/// one meanwhile gets it; bounded by the bytes they stand for.
package final class UnwrittenEntries: Sendable {
    private struct State {
        var entries: [EntryKey: CacheEntry] = [:]
        var bytes = 0
    }

    private let state = Monitor(State())
    private let capacity: Int

    /// `capacity` in bytes.
    package init(capacity: Int) { self.capacity = capacity }

    /// Takes an entry in, unless there is no room for it or its key is on the way already.
    package func add(_ key: EntryKey, _ entry: CacheEntry) -> Bool {
        let length = entry.picture.bytes.count
        return state.withLock { state in
            guard state.bytes + length <= capacity, state.entries[key] == nil else { return false }
            state.entries[key] = entry
            state.bytes += length
            return true
        }
    }

    /// Lets an entry go: it is written, or could not be.
    package func remove(_ key: EntryKey) {
        let isLast = state.withLock { state in
            if let entry = state.entries.removeValue(forKey: key) {
                state.bytes -= entry.picture.bytes.count
            }
            return state.entries.isEmpty
        }
        if isLast { state.notifyAll() }
    }

    package subscript(key: EntryKey) -> CacheEntry? { state.withLock { $0.entries[key] } }

    /// Waits until nothing is on the way. Blocks.
    func waitUntilEmpty() { state.wait { $0.entries.isEmpty ? () : nil } }
}
