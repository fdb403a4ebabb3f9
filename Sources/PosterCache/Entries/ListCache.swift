import Glibc
package import PosterBase

/// The list API's answers on disk, in `lists/`: sealed as pictures are, one file a request, and
/// so many bytes of the disk at most. When there is no room, those used longest ago go.
///
/// Blocks for the disk. What is no good is a miss: it is removed, and the list is asked for again.
package final class ListCache: Sendable {
    /// One answer, as it came.
    package struct Kept: Sendable, Equatable {
        /// The body, ``ListCache/maxBytes`` at most.
        package var body: [UInt8]
        /// Its `Content-Type`; `nil` when upstream sent none.
        package var contentType: String?
        /// When it came: the file's mtime.
        package var fetched: Timestamp

        package init(body: [UInt8], contentType: String? = nil, fetched: Timestamp) {
            self.body = body
            self.contentType = contentType
            self.fetched = fetched
        }
    }

    /// The longest body that is kept.
    package static let maxBytes = 4 << 20
    /// How long the last good list is kept for outages.
    package static let keptFor = Duration.seconds(24 * 3600)

    /// How exactly a list's last use is known.
    static let useInterval = Duration.seconds(300)

    private let files: SealedFiles
    private let room: ListRoom

    /// Opens the cache directory, and makes it where it is missing. `capacity` is in bytes of the
    /// disk.
    package convenience init(
        directory: String, capacity: Int = 64 << 20, log: Log, metrics: CacheMetrics
    ) throws(FileError) {
        self.init(
            try SealedFiles(directory: directory, log: log, metrics: metrics), capacity: capacity)
    }

    package init(_ files: SealedFiles, capacity: Int = 64 << 20) {
        self.files = files
        room = ListRoom(files.directory, capacity: capacity)
    }

    /// The answer to a request, however old; `nil` when there is none that can be read.
    /// `request` is the whole of what upstream is asked, such as
    /// `/trending/movie/week?language=en-US`.
    package func read(_ request: String) -> Kept? { lookUp(request)?.kept }

    /// The answer to a request as ``read(_:)`` gives it, and when it was last used.
    package func lookUp(_ request: String) -> (kept: Kept, lastUse: Timestamp)? {
        let place = SealedPlace(list: request)
        guard case .file(let file) = files.read(place) else { return nil }
        guard file.isUnaltered else {
            files.remove(place, file.status, because: .body)
            return nil
        }
        let kept = Kept(
            body: file.body, contentType: file.seal.contentType, fetched: file.status.modified)
        return (kept, file.status.accessed)
    }

    /// Notes in a list's atime that it was used now, where its last use is over five minutes
    /// before or after.
    package func noteUse(of request: String, lastUse: Timestamp, now: Timestamp) {
        guard !(now - Self.useInterval...now).contains(lastUse) else { return }
        let place = SealedPlace(list: request)
        do {
            guard let folder = try files.directory.folder(place.folders),
                try folder.status(place.name)?.kind == .regular
            else { return }
            try folder.setTimes(place.name, accessed: now, modified: nil)
        } catch {
            // A use that is not noted costs at most an early eviction.
        }
    }

    /// Removes a list that the API has no more.
    package func remove(_ request: String) {
        let place = SealedPlace(list: request)
        do {
            guard let folder = try files.directory.folder(place.folders),
                let status = try folder.status(place.name), status.kind == .regular
            else { return }
            try EntryRemoval.remove(place.name, ifStill: status, in: folder)
        } catch {
            // It stays for outages, as it would have.
        }
    }

    /// Keeps an answer in the place of the one before. Throws `EFBIG` for a body or a request
    /// over the limit, and for one that the whole room would not hold.
    package func write(_ request: String, _ list: Kept) throws(FileError) {
        let place = SealedPlace(list: request)
        guard list.body.count <= Self.maxBytes else {
            throw FileError(.write, place.name, code: EFBIG)
        }
        let seal = Seal(
            key: place.key, bodyLength: list.body.count, bodyHash: ContentHash(of: list.body),
            fetched: list.fetched, contentType: list.contentType)
        let needed = list.body.count + seal.bytes.count
        guard room.makeRoom(for: needed, now: list.fetched) else {
            throw FileError(.write, place.name, code: EFBIG)
        }
        _ = try files.write(
            place, list.body, seal, modified: list.fetched, accessed: list.fetched)
    }

    /// Which of them name films for placeholders.
    package var named: TitleLists { TitleLists(files.directory) }

    /// Why lists are not kept; `nil` when all is well.
    var healthIssue: HealthIssue? {
        files.probeIfDue()
        return files.report.healthIssue
    }
}
