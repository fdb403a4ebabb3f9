import Glibc

/// The list API's answers on disk, in `lists/`: sealed as pictures are, one file a request.
///
/// Blocks for the disk. Whatever is no good is a miss: it is removed, and the list asked for anew.
final class ListCache: Sendable {
    /// One answer, as it came.
    struct Kept: Sendable, Equatable {
        /// The body, ``ListCache/maxBytes`` at most.
        var body: [UInt8]
        /// Its `Content-Type`; `nil` when upstream sent none.
        var contentType: String?
        /// When it came: the file's mtime.
        var fetched: Timestamp
    }

    /// The longest body that is kept.
    static let maxBytes = 4 << 20

    private let files: SealedFiles

    /// Opens the cache directory, and makes it where it is missing.
    convenience init(directory: String, log: Log, metrics: Metrics) throws(CacheError) {
        self.init(try SealedFiles(directory: directory, log: log, metrics: metrics))
    }

    init(_ files: SealedFiles) { self.files = files }

    /// The answer to a request, however old; `nil` when there is none that can be read.
    /// `request` is the whole of what upstream is asked, such as
    /// `/trending/movie/week?language=en-US`.
    func read(_ request: String) -> Kept? {
        let place = SealedPlace(list: request)
        guard case .file(let file) = files.read(place) else { return nil }
        guard file.isUnaltered else {
            files.remove(place, file.status, because: .body)
            return nil
        }
        return Kept(
            body: file.body, contentType: file.seal.contentType, fetched: file.status.modified)
    }

    /// Keeps an answer in the place of the one before. Throws `EFBIG` for a body or a request
    /// over the limit.
    func write(_ request: String, _ list: Kept) throws(CacheError) {
        let place = SealedPlace(list: request)
        guard list.body.count <= Self.maxBytes else {
            throw CacheError(.write, place.name, code: EFBIG)
        }
        let seal = Seal(
            key: place.key, bodyLength: list.body.count, bodyHash: ContentHash(of: list.body),
            fetched: list.fetched, contentType: list.contentType)
        _ = try files.write(
            place, list.body, seal, modified: list.fetched, accessed: list.fetched)
    }

    /// Why lists are not kept; `nil` when all is well.
    var trouble: Trouble? {
        files.probeIfDue()
        return files.report.trouble
    }
}
