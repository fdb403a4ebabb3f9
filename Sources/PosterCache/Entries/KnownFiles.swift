import PosterBase

/// The files whose bytes this process has hashed, so that an unchanged one is not hashed again.
///
/// Bounded: when it is full it is emptied, and the hashes are computed once more.
final class KnownFiles: Sendable {
    /// A file at a moment. Another file, or a touched one, differs.
    struct Mark: Equatable, Sendable {
        var identity: FileStatus.Identity
        var size: Int
        var modified: Timestamp
        var changed: Timestamp
        /// The hash of the body, found then.
        var hash: ContentHash

        init(_ status: FileStatus, hash: ContentHash) {
            identity = status.identity
            size = status.size
            modified = status.modified
            changed = status.changed
            self.hash = hash
        }
    }

    private let marks = Monitor<[EntryKey: Mark]>([:])
    private let capacity: Int

    init(capacity: Int = 1 << 16) { self.capacity = capacity }

    subscript(key: EntryKey) -> Mark? { marks.withLock { $0[key] } }

    func remember(_ key: EntryKey, _ mark: Mark) {
        marks.withLock { marks in
            if marks.count >= capacity && marks[key] == nil { marks.removeAll() }
            marks[key] = mark
        }
    }

    func forget(_ key: EntryKey) { marks.withLock { $0[key] = nil } }
}
