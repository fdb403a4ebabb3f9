/// Reads every entry of a cache and checks its seal.
public struct Verification: Sendable {
    /// What was found.
    public struct Summary: Sendable {
        /// Entries read.
        public var examined = 0
        /// Their bytes.
        public var bytes = 0
        /// The paths, relative to the cache, of those that did not pass, and why.
        public var bad: [(path: String, why: Metrics.BadEntry)] = []
        /// How many of them were deleted.
        public var deleted = 0
        /// Paths that could not be read or deleted.
        public var failures: [CacheError] = []

        /// Nothing found.
        public init() {}
    }

    /// Reads all of `directory`; deletes what is bad when asked to. Blocks. `progress` is told
    /// the entries and bytes read so far.
    public static func run(
        _ directory: String, deletesBad: Bool,
        progress: (_ entries: Int, _ bytes: Int) -> Void = { _, _ in }
    ) throws(Prune.Refusal) -> Summary { fatalError("unbuilt") }
}
