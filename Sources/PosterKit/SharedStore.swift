package import Amodb
package import PosterBase
package import PosterCache

/// A store of whole posters behind the disk, which several nodes share. Its faults are its own: no
/// call throws, and a look costs at most its deadline.
package protocol SharedStore: AnyObject, Sendable {
    /// The poster as the store has it, perhaps expired; `nil` when it has none that is right, or does
    /// not say. Blocks, for the deadline at most.
    func read(_ path: PosterPath, _ size: PosterSize) -> CacheEntry?
    /// Has a poster written, soon and by some other thread, or drops it. Does not block.
    func write(_ path: PosterPath, _ size: PosterSize, _ entry: CacheEntry)
    /// Has a poster removed that upstream says is gone. Does not block.
    func remove(_ path: PosterPath, _ size: PosterSize)
    /// The reason for a readiness probe; `nil` when all is well.
    var healthIssue: HealthIssue? { get }
    /// What is to be written, that under way included, and for how long the store is left alone.
    var load: (queued: Int, bytes: Int, pauseSeconds: Int) { get }
    /// Waits until nothing is to be written any more, until `deadline` at the latest. Returns
    /// whether all of it is done. Blocks.
    @discardableResult
    func finishWrites(by deadline: ContinuousClock.Instant) -> Bool
    /// Waits as long as its settings say for what is to be written, drops the rest, and ends the
    /// threads. Blocks.
    func close()
}

/// The settings of a ``SharedStore``, which open it.
package protocol SharedStoreSettings: Sendable {
    /// Opens it for a poster store.
    func open(for configuration: Configuration, log: Log, clock: TimeSource) -> any SharedStore
}
