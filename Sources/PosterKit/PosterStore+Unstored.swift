import PosterBase
import PosterCache

/// What becomes of entries that the disk did not take: a full or failing disk is tried again every
/// few seconds, though no client asks for anything, and gets them when it takes files again.
extension PosterStore {
    /// Remembers an entry that could not be written. Does not block.
    func putOff(_ key: EntryKey, _ entry: CacheEntry) {
        // What is wrong with one place alone is not mended by waiting.
        guard !disk.takesFiles, unstored.add(key, entry) else { return }
        scheduleRetry()
    }

    private func scheduleRetry() {
        // Weak: a store that is let go of ends, whatever it still had to write.
        deadlines.schedule(at: .now + disk.pause) { [weak self] in
            guard let self else { return }
            let isQueued = diskWriters.submit(.background) { [weak self] _ in self?.storeUnstored()
            }
            if !isQueued { scheduleRetry() }
        }
    }

    /// Writes what the disk did not take, until it refuses again. Blocks.
    private func storeUnstored() {
        while let (key, entry) = unstored.first() {
            // This process or another may have written a newer one.
            if case .entry(let there) = disk.read(key), there.validated >= entry.validated {
                unstored.remove(key)
                continue
            }
            do throws(FileError) { try disk.write(key, entry) } catch {
                guard disk.takesFiles else { return scheduleRetry() }
            }
            unstored.remove(key)
        }
    }

    /// Drops the thumbnails of a poster that was fetched again, where they show another picture
    /// than any of its sizes now does: they would be served as long as the old one would have been.
    func dropOldThumbnails(of key: EntryKey, showing hash: ContentHash) {
        for thumbnail in disk.removeThumbnails(of: key, showing: hash) {
            memory.remove(thumbnail)
            unwritten.remove(thumbnail)
            unstored.remove(thumbnail)
        }
    }
}
