/// Posters and thumbnails, from memory, disk or upstream: the one door for `serve`, `prefetch`
/// and `get`.
public final class PosterStore: Sendable {
    /// The knobs that it was made with.
    public let configuration: Configuration
    /// What its stages count.
    public let metrics: Metrics

    /// Opens the cache and starts the threads. Throws when the cache cannot be used.
    public init(_ configuration: Configuration, log: Log = .standardError) throws(CacheError) {
        self.configuration = configuration
        metrics = Metrics()
    }

    /// The picture of a wish if it is fresh in memory or on disk; `nil` when more must be done.
    /// Blocks for the disk only.
    public func cached(_ wish: Wish) -> Answer? { fatalError("unbuilt") }

    /// Answers a wish: calls `reply` exactly once, from some thread, by `deadline` and the time
    /// that a placeholder takes. A passed deadline never cancels the work: it fills the cache.
    public func answer(
        _ wish: Wish, by deadline: ContinuousClock.Instant?,
        _ reply: @escaping @Sendable (Answer) -> Void
    ) { fatalError("unbuilt") }

    /// Answers a wish, for callers that are async already.
    public func answer(_ wish: Wish, by deadline: ContinuousClock.Instant? = nil) async -> Answer {
        await withCheckedContinuation { continuation in
            answer(wish, by: deadline) { continuation.resume(returning: $0) }
        }
    }

    /// Draws a placeholder, or takes it from memory: calls `reply` once, from some thread.
    /// `nil`: the machine is too busy to draw.
    public func placeholder(
        _ request: PlaceholderRequest, _ reply: @escaping @Sendable (Picture?) -> Void
    ) { fatalError("unbuilt") }

    /// Why it serves less than it should, for a readiness probe; empty when all is well.
    public func troubles() -> [Trouble] { [] }

    /// Ends the threads when their jobs are done. Wishes after this are answered `.closed`.
    public func close() {}
}
