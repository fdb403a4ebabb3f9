/// How much a cache holds, by kind and size, and how old it is.
public struct Statistics: Sendable {
    /// One line of the table: `posters/w342`, `thumbs/120x180-cover-q82.jpeg`, `lists`.
    public struct Row: Sendable, Equatable {
        /// The kind and its rendition, as the folders are named.
        public var name: String
        /// Files.
        public var entries = 0
        /// Their bytes, seals included.
        public var bytes = 0
        /// Those past their age.
        public var expired = 0
        /// The oldest mtime.
        public var oldest: Timestamp?
        /// The newest mtime.
        public var newest: Timestamp?
    }

    /// By name.
    public var rows: [Row]
    /// Files that are not the cache's own.
    public var foreign: Int
    /// Files being written, or left by a crash.
    public var temporary: Int

    /// Looks at every file of `directory`, not into it. Blocks.
    public static func survey(
        _ directory: String, maxAge: Duration, now: Timestamp
    ) throws(Prune.Refusal) -> Statistics { fatalError("unbuilt") }
}
