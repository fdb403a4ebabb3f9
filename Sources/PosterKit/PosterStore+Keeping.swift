import PosterBase
import PosterCache
import PosterImages

extension PosterStore {
    /// Keeps a proven poster, and the thumbnails made with it, on disk and in memory. Blocks.
    func store(
        _ proven: ProvenPoster, _ validators: Validators, of key: EntryKey, replacesOld: Bool
    ) -> Outcome {
        let source: Answer.Source = replacesOld ? .refetched : .fetched
        let poster = CacheEntry(
            picture: proven.picture, validated: proven.picture.made, validators: validators)
        var held = keep(key, poster, source)
        dropOldThumbnails(of: key, showing: poster.picture.hash)
        if replacesOld { tints.remove(key.path) }
        for (variant, bytes) in proven.thumbnails {
            held.thumbnails[variant] = keep(
                .thumbnail(key.path, variant), entry(of: bytes, variant, from: poster), source)
        }
        return .hit(held)
    }

    /// The fresh entry that another process may have stored since a key was looked up; `nil` when
    /// there is only `old`. Blocks for the disk.
    func lookUp(_ key: EntryKey, newerThan old: CacheEntry?) -> CacheHit? {
        if let old {
            guard case .changed = disk.standing(of: key, old) else { return nil }
            // What memory has was compared with the disk within the last second, but before this.
            memory.remove(key)
        }
        guard let found = lookUp(key), isFresh(found.entry) else { return nil }
        return found
    }

    /// Starts an entry's 30 days again at `validated`: a poster's when upstream says that it is
    /// unchanged, a thumbnail's when that holds for the poster that it was made from. Blocks.
    func renew(_ key: EntryKey, _ old: CacheEntry, at validated: Timestamp) -> Outcome {
        let entry = CacheEntry(
            picture: old.picture, validated: validated, validators: old.validators,
            source: old.source)
        do throws(FileError) {
            // The file may be gone, or hold another process's bytes by now; then it is written.
            guard try disk.renew(key, old, at: validated) else {
                return .hit(keep(key, entry, .revalidated))
            }
        } catch {
            remember(key, entry)
            return .hit(.init(entry: entry, source: .revalidated, isStored: false))
        }
        remember(key, entry)
        return .hit(.init(entry: entry, source: .revalidated, isStored: true))
    }

    /// Puts an entry on disk and in memory; when the disk will not take it, it is served all
    /// the same. Blocks.
    func keep(_ key: EntryKey, _ entry: CacheEntry, _ source: Answer.Source) -> CacheHit {
        var isStored = true
        do throws(FileError) { try disk.write(key, entry) } catch { isStored = false }
        if isStored { unstored.remove(key) } else { putOff(key, entry) }
        remember(key, entry)
        return CacheHit(entry: entry, source: source, isStored: isStored)
    }

    /// Keeps an entry that a client waits for: in memory at once, and on disk beside the answer,
    /// which need not wait for an fsync. `false` when too much waits to be written already, or the
    /// disk takes nothing: then it was not kept.
    func keepBeside(_ key: EntryKey, _ entry: CacheEntry) -> Bool {
        guard disk.takesFiles, unwritten.add(key, entry) else { return false }
        remember(key, entry)
        let isQueued = diskWriters.submit(.live) { [self] _ in
            do throws(FileError) { try disk.write(key, entry) } catch {
                // Told of by the disk's own report.
                putOff(key, entry)
            }
            unwritten.remove(key)
        }
        if !isQueued { unwritten.remove(key) }
        return isQueued
    }

    /// Threads that write what was made. Each waits for the disk nearly all of the time, and the
    /// disk commits what several ask for at once.
    static let diskWriterThreads = 2
    /// Bytes that may wait to be written: hundreds of thumbnails, or a few giants.
    static let unwrittenBytes = 16 << 20

    private func remember(_ key: EntryKey, _ entry: CacheEntry) {
        memory.insert(key, entry, bytes: entry.picture.bytes.count, checked: clock.instant())
    }

    /// An entry for a thumbnail: it bears its poster's time, so that both expire together.
    func entry(
        of bytes: [UInt8], _ variant: ThumbnailVariant, from poster: CacheEntry
    ) -> CacheEntry {
        CacheEntry(
            picture: Picture(bytes: bytes, format: variant.format, made: poster.picture.made),
            validated: poster.validated, source: poster.picture.hash)
    }
}
