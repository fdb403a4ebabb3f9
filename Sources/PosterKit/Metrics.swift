package import PosterBase
package import PosterCache
package import PosterFetch
package import PosterImages

/// What the stages count. The server prints it for Prometheus.
public final class Metrics: Sendable {
    /// Where an answer's picture came from.
    public enum CacheResult: String, CaseIterable, Sendable {
        /// The possible results.
        case hitMemory = "hit_memory"
        case hitDisk = "hit_disk"
        case hitStore = "hit_store"
        case miss, stale, derived
        case placeholderMissing = "placeholder_missing"
        case placeholderUnavailable = "placeholder_unavailable"
    }

    /// Answers by where they came from.
    package let cacheResults = Counter<CacheResult>()
    /// What requests to upstream count.
    package let fetch = FetchMetrics()
    /// What the pixel threads count.
    package let images = ImageMetrics()
    /// What the cache on disk counts.
    package let cache = CacheMetrics()

    /// All counts at zero.
    public init() {}
}
