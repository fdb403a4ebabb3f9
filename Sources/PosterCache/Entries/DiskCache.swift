import Amodb
package import PosterBase
import PosterImages

/// The cache directory: sealed pictures, one file each, that any number of processes may share.
///
/// All methods block for the disk. None throws for a cache that is merely damaged: a bad entry
/// is a miss.
package final class DiskCache: Sendable {
    /// What reading an entry came to.
    package enum Lookup: Sendable {
        /// A whole entry; perhaps expired.
        case entry(CacheEntry)
        /// None, or one that did not pass its seal and is gone now.
        case absent
        /// The disk would not say (`EIO`, `EMFILE`, `EACCES` …); nothing was removed.
        case unreadable(FileError)
    }

    /// What lies in the place of an entry that is known already.
    package enum Standing: Sendable {
        /// The file that it was read from or written to.
        case same
        /// Another, or none.
        case changed
        /// The disk would not say; or it takes no files, and so has none that could be compared.
        case unreadable(FileError)
    }

    /// What the lists are kept with too, so that one disk has one report.
    package let files: SealedFiles
    private let known = KnownFiles()
    private let uses = UseClock()

    /// Opens the cache, and makes it where it is missing. Throws when it cannot be used at all.
    /// A disk that failed is left alone for `pause`.
    package convenience init(
        directory: String, log: Log, metrics: CacheMetrics, pause: Duration = .seconds(5)
    ) throws(FileError) {
        self.init(
            try SealedFiles(directory: directory, log: log, metrics: metrics, pause: pause))
    }

    init(_ files: SealedFiles) { self.files = files }

    /// The lists that lie beside the entries.
    package var lists: ListCache { ListCache(files) }

    /// Reads an entry and checks its seal: length and key always, the body's hash when this
    /// process has not seen the file as it is now.
    package func read(_ key: EntryKey) -> Lookup {
        let place = SealedPlace(key)
        switch files.read(place) {
        case .absent: return .absent
        case .unreadable(let error): return .unreadable(error)
        case .file(let file):
            let mark = KnownFiles.Mark(file.status, hash: file.seal.bodyHash)
            let isKnown = known[key] == mark
            guard isKnown || file.isUnaltered,
                let format = ImageFormat(firstBytes: file.body)
            else {
                known.forget(key)
                files.remove(place, file.status, because: .body)
                return .absent
            }
            if !isKnown { known.remember(key, mark) }
            let picture = Picture(
                bytes: file.body, format: format, hash: mark.hash, made: file.seal.fetched)
            return .entry(
                CacheEntry(
                    picture: picture, validated: file.status.modified,
                    validators: file.seal.validators, source: file.seal.source))
        }
    }

    /// Writes an entry: to `tmp/`, sealed, fsynced, renamed, its mtime `entry.validated`.
    package func write(_ key: EntryKey, _ entry: CacheEntry) throws(FileError) {
        let place = SealedPlace(key)
        let seal = Seal(
            key: place.key, bodyLength: entry.picture.bytes.count, bodyHash: entry.picture.hash,
            fetched: entry.picture.made, validators: entry.validators, source: entry.source)
        let now = Timestamp.now()
        let status = try files.write(
            place, entry.picture.bytes, seal, modified: entry.validated, accessed: now)
        known.remember(key, KnownFiles.Mark(status, hash: seal.bodyHash))
    }

    /// Whether the last write came through, or none was tried yet.
    package var takesFiles: Bool { files.report.writeFailure == nil }

    /// How long the disk is left alone after a failure.
    package var pause: Duration { files.report.pause }

    /// Removes the thumbnails of a poster that were made from a picture which neither has `hash` nor
    /// is that of another size on disk, and returns their keys.
    package func removeThumbnails(of poster: EntryKey, showing hash: ContentHash) -> [EntryKey] {
        var removed: [EntryKey] = []
        var shown: Set<ContentHash>?
        for key in thumbnails(of: poster.path) {
            let place = SealedPlace(key)
            guard let (seal, status) = files.readSeal(place), seal.source != hash else { continue }
            if shown == nil {
                let others = PosterSize.allCases.map { EntryKey.poster(poster.path, $0) }
                shown = Set(
                    others.filter { $0 != poster }.compactMap {
                        files.readSeal(SealedPlace($0))?.seal.bodyHash
                    })
            }
            if let source = seal.source, shown?.contains(source) == true { continue }
            do throws(FileError) {
                guard let folder = try files.directory.folder(place.folders) else { continue }
                try EntryRemoval.remove(place.name, ifStill: status, in: folder)
                known.forget(key)
                removed.append(key)
            } catch { files.report.keyFailed(error) }
        }
        return removed
    }

    /// The thumbnails of a poster that lie on disk. Costs one call for each variant that any poster
    /// has a thumbnail of.
    private func thumbnails(of path: PosterPath) -> [EntryKey] {
        let root = files.directory.root()
        var found: [EntryKey] = []
        do throws(FileError) {
            try root.directory(EntryKey.Kind.thumbs.rawValue).forEachName {
                (name, _) throws(FileError) in
                let name = String(cString: name)
                let place = "\(EntryKey.Kind.thumbs.rawValue)/\(name)/\(path.name.prefix(2))"
                guard try root.hasFile("\(place)/\(path.fileName)") else { return }
                if let variant = ThumbnailVariant(name) { found.append(.thumbnail(path, variant)) }
            }
        } catch {
            // What cannot be read is not served either.
        }
        return found
    }

    /// Renews an entry: sets its mtime, if the file still holds `entry`'s bytes. `false` when it
    /// does not, or is gone.
    package func renew(_ key: EntryKey, _ entry: CacheEntry, at now: Timestamp) throws(FileError)
        -> Bool
    {
        try files.renew(SealedPlace(key), holding: entry.picture.hash, at: now)
    }

    /// Removes an entry that is gone for good, if it is still the one that was read. What keeps it
    /// from going costs room until the next prune, no more.
    package func remove(_ key: EntryKey, _ entry: CacheEntry) {
        let place = SealedPlace(key)
        do {
            guard let folder = try files.directory.folder(place.folders),
                let status = try folder.status(place.name), status.modified == entry.validated
            else { return }
            try EntryRemoval.remove(place.name, ifStill: status, in: folder)
            known.forget(key)
        } catch { files.report.keyFailed(error) }
    }

    /// Looks whether the file of an entry that is held in memory is still the same, without
    /// reading it: another process may have renewed, replaced or pruned it.
    package func standing(of key: EntryKey, _ entry: CacheEntry) -> Standing {
        guard let mark = known[key], mark.hash == entry.picture.hash,
            mark.modified == entry.validated
        else { return files.report.writeFailure.map { .unreadable($0) } ?? .changed }
        do {
            let root = files.directory.root(looksNow: true)
            guard let status = try root.fileStatus(at: SealedPlace(key).path) else {
                return .changed
            }
            return KnownFiles.Mark(status, hash: mark.hash) == mark ? .same : .changed
        } catch {
            return error.isPlanted ? .changed : .unreadable(error)
        }
    }

    /// Notes that an entry was used, in its atime, at most once an hour.
    package func noteUse(of key: EntryKey, now: Timestamp) {
        guard uses.isDue(key, now: now) else { return }
        let place = SealedPlace(key)
        do {
            guard let folder = try files.directory.folder(place.folders),
                let before = try folder.status(place.name), before.kind == .regular,
                !(now - UseClock.interval...now).contains(before.accessed)
            else { return }
            try folder.setTimes(place.name, accessed: now, modified: nil)
            // The times are part of the mark, but the bytes are not other ones.
            guard let mark = known[key], mark == KnownFiles.Mark(before, hash: mark.hash),
                let after = try folder.status(place.name), after.identity == before.identity,
                after.modified == before.modified
            else { return }
            known.remember(key, KnownFiles.Mark(after, hash: mark.hash))
        } catch {
            // A use that is not noted costs at most an early eviction.
        }
    }

    /// Why the cache takes or gives no files; `nil` when all is well. Tries the disk again if its
    /// last failure is a while ago.
    package var healthIssue: HealthIssue? {
        files.probeIfDue()
        return files.report.healthIssue
    }
}
