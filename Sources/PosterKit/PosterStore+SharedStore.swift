import Amodb
import PosterCache

/// What the store that several nodes share has to do with it.
extension PosterStore {
    /// The poster from the shared store, kept on disk with the age that it has there; perhaps
    /// expired, but newer than `known`. Blocks, for the store's deadline at most.
    func restore(
        _ path: PosterPath, _ size: PosterSize, newerThan known: CacheEntry?
    ) -> CacheHit? {
        guard let entry = shared?.read(path, size),
            known.map({ $0.validated < entry.validated }) ?? true
        else { return nil }
        if known?.picture.hash != entry.picture.hash { tints.remove(path) }
        let key = EntryKey.poster(path, size)
        let held = keep(key, entry, .store)
        dropOldThumbnails(of: key, showing: entry.picture.hash)
        return held
    }

    /// Has the shared store take what upstream gave, beside the answer, which it passes on.
    func share(_ outcome: Outcome, _ path: PosterPath, _ size: PosterSize) -> Outcome {
        if case .hit(let held) = outcome { shared?.write(path, size, held.entry) }
        return outcome
    }

    /// An expired entry that was not there when the request came, but that the shared store had.
    func restored(_ key: EntryKey) -> CacheEntry? {
        shared == nil ? nil : lookUp(key)?.entry
    }
}
