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

    /// Opens the cache directory, and makes it where it is missing.
    init(directory: String, log: Log, metrics: Metrics) throws(CacheError) { fatalError("unbuilt") }

    /// The answer to a request, however old; `nil` when there is none that can be read.
    /// `request` is the whole of what upstream is asked, such as
    /// `/trending/movie/week?language=en-US`.
    func read(_ request: String) -> Kept? { fatalError("unbuilt") }

    /// Keeps an answer in the place of the one before. Throws `EFBIG` for a body over the limit.
    func write(_ request: String, _ list: Kept) throws(CacheError) { fatalError("unbuilt") }
}
