package import PosterBase

/// What the cache on disk counts.
package final class CacheMetrics: Sendable {
    /// Entries that did not pass.
    package let badEntries = Counter<EntryFault>()
    /// Disk operations that failed.
    package let diskErrors = DiskErrorCounter()

    /// All counts at zero.
    package init() {}
}

/// Why an entry on disk was no good.
package enum EntryFault: String, CaseIterable, Sendable {
    /// The possible faults.
    case empty, torn, body, seal, version, key, foreign
}
