import Amodb
public import PosterBase
import PosterCache
import PosterFetch
import PosterImages
import PosterPlaceholders

/// Posters and thumbnails, from memory, disk or upstream: the one door for `serve`, `prefetch`
/// and `get`.
///
/// This file is the whole way, top to bottom:
///
///     request ─► look up ──fresh────────────────────────────────► answer
///                │ nothing, or expired                            ▲
///                ▼                                                │
///              the store that nodes share, if there is one ───────┤
///                │ nothing, or expired                            │
///                ▼                                                │
///              fetch ─► verify (decode) ─► store ─► thumbnail ────┤
///                │ fails, or the deadline passes                  │
///                ▼                                                │
///              the expired entry, else another size, else a placeholder
///
/// Below ``answer(_:by:_:)`` all is plain blocking code: fetches run on transfer threads, pixels
/// on pixel threads, and requests for one key are one job with many waiters. The job is the
/// store's own: it fills the cache even when no client waits for it any more. Which job goes next
/// is the rule of ``JobQueue``, so that what strangers ask for does not keep others waiting.
///
/// A store that is let go of ends its threads when its jobs are done; ``close()`` waits for that.
public final class PosterStore: Sendable {
    /// The knobs that it was made with.
    public let configuration: Configuration
    /// What its stages count.
    public let metrics: Metrics
    /// How long looks into the cache take.
    let pace: DiskLatency

    let memory: MemoryTier<EntryKey, CacheEntry>
    let placeholders: MemoryTier<PlaceholderRequest, Picture>
    /// What is answered with when there is no time to draw.
    let generics = GenericPlaceholders()
    let boxes: SeenBoxes
    let tints: MemoryTier<PosterPath, Tint>
    let titles: PosterTitles
    let disk: DiskCache
    package let shared: (any SharedStore)?
    let failures: FailureMemory
    let governor: HostGovernor
    /// What other processes fetch just now.
    let claims: KeyClaims
    let fetcher: PosterFetcher
    let transfers: WorkerPool<TransferWorker>
    /// Ends what the transfer threads do.
    let stop: StopSignal
    /// Keeps what waits for a thread from being begun.
    let draining = StopSignal()
    let pixels: PixelPool
    /// Put on disk what pixel threads made, so that these go on.
    let diskWriters: WorkerPool<Void>
    let unwritten = UnwrittenEntries(capacity: PosterStore.unwrittenBytes)
    let unstored = UnstoredEntries(capacity: PosterStore.unwrittenBytes)
    let flights = SingleFlight<EntryKey, Outcome>()
    let deadlines = DeadlineTimer()
    let door = AsyncDoor()
    let census: CacheCensus
    /// Thumbnails that wait for a poster's bytes, so that the decode that proves it makes them.
    let wanted = Monitor<[EntryKey: Set<ThumbnailVariant>]>([:])
    /// Thumbnails that wait for a pixel thread.
    let batches = ThumbnailBatches()
    let clock: TimeSource

    /// Opens the cache and starts the threads. Throws when the cache cannot be used at all.
    public convenience init(
        _ configuration: Configuration, log: Log = .standardError
    ) throws(FileError) {
        try self.init(configuration, log: log, clock: .system)
    }

    /// As the public one, with a clock, limits on transfers and a way to retry of the caller's. A
    /// disk that failed is left alone for `diskPause`.
    init(
        _ configuration: Configuration, log: Log, clock: TimeSource,
        limits: TransferLimits = TransferLimits(), retries: RetryPolicy = RetryPolicy(),
        diskPause: Duration = .seconds(5), pace: DiskLatency = DiskLatency()
    ) throws(FileError) {
        self.configuration = configuration
        self.clock = clock
        self.pace = pace
        metrics = Metrics()
        disk = try DiskCache(
            directory: configuration.cacheDirectory, log: log, metrics: metrics.cache,
            pause: diskPause)
        memory = MemoryTier(capacity: configuration.memoryBytes)
        placeholders = MemoryTier(capacity: configuration.memoryBytes / 8)
        boxes = SeenBoxes(disk)
        tints = MemoryTier(capacity: Self.tintBytes)
        titles = PosterTitles(disk.lists, clock: clock)
        shared = configuration.sharedStore?.open(for: configuration, log: log, clock: clock)
        failures = FailureMemory(capacity: 65_536)
        let host = configuration.imageBase.origin
        claims = KeyClaims(cacheDirectory: configuration.cacheDirectory)
        governor = HostGovernor(
            host, HostLimits(configuration, host: host, clock: clock, log: log),
            shared: SharedPause(
                cacheDirectory: configuration.cacheDirectory, host: host, clock: clock),
            log: log, clock: clock)
        let stop = StopSignal()
        self.stop = stop
        fetcher = PosterFetcher(
            maxBytes: configuration.imageLimits.bytes, timeout: configuration.fetchTimeout,
            metrics: metrics.fetch, retries: retries.ended(by: draining))
        pixels = PixelPool(
            threads: configuration.pixelThreads, queueLength: configuration.queueLength,
            limits: configuration.imageLimits, metrics: metrics.images)
        diskWriters = WorkerPool(
            name: "diskWriters", threads: Self.diskWriterThreads,
            capacity: configuration.queueLength,
            yields: true
        ) {}
        census = CacheCensus(directory: configuration.cacheDirectory)
        let caFile = configuration.caFile
        transfers = WorkerPool(
            name: "transfers", threads: configuration.concurrency,
            capacity: configuration.queueLength
        ) { [metrics] in
            TransferWorker(
                userAgent: Program.userAgent, caFile: caFile, stop: stop, metrics: metrics.fetch,
                limits: limits)
        }
    }

    deinit { endThreads() }

    /// Answers a request: calls `reply` exactly once, by `deadline` and ``drawingTime``, however
    /// busy the machine is; at once and on this thread when the picture is cached and fresh, else
    /// from some other. A passed deadline never cancels the work: it goes on and fills the cache.
    public func answer(
        _ request: PosterRequest, by deadline: ContinuousClock.Instant?,
        _ reply: @escaping @Sendable (Answer) -> Void
    ) {
        respond(to: request, by: deadline, counted(reply))
    }

    /// As ``answer(_:by:_:)``, without counting the answer.
    func respond(
        to request: PosterRequest, by deadline: ContinuousClock.Instant?,
        _ reply: @escaping @Sendable (Answer) -> Void
    ) {
        guard let key = request.key else {
            return standIn(for: request, .noPoster, old: nil, .live, by: deadline, reply)
        }
        let found = lookUp(key)
        if let found, isFresh(found.entry) {
            return reply(fresh(found, isCollapsed: false))
        }
        let jobClass = jobClass(of: request, isCached: found != nil)
        wait(for: key, jobClass, fetching: request.fetchedSize, until: deadline) {
            outcome, isCollapsed in
            switch outcome {
            case .hit(let held): reply(self.fresh(held, isCollapsed: isCollapsed))
            case .absent(let unavailability):
                self.standIn(
                    for: request, unavailability, old: found?.entry, jobClass, by: deadline, reply)
            }
        }
    }

    /// Whether ``answer(_:by:_:)`` may block for long: it has to look at a disk that has been slow.
    public func wouldHoldUp(_ request: PosterRequest) -> Bool {
        guard pace.isSlow(now: .now), let key = request.key else { return false }
        return memory.value(for: key).map { $0.checked + .seconds(1) <= clock.instant() } ?? true
    }

    /// The entry of a key, fresh or expired: from memory, where it was compared with the disk
    /// within the last second, else from disk. Blocks for the disk only.
    func lookUp(_ key: EntryKey) -> CacheHit? {
        let instant = clock.instant()
        let kept = memory.value(for: key)
        if let kept, kept.checked + .seconds(1) > instant {
            return CacheHit(entry: kept.value, source: .memory, isStored: true)
        }
        let began = ContinuousClock.now
        defer { pace.note(began.duration(to: .now), now: .now) }
        if let kept, isUnchanged(key, kept.value, instant) {
            return CacheHit(entry: kept.value, source: .memory, isStored: true)
        }
        guard case .entry(let entry) = disk.read(key) else {
            if let made = unwritten[key] ?? unstored[key] {
                return CacheHit(entry: made, source: .memory, isStored: false)
            }
            memory.remove(key)
            return nil
        }
        disk.noteUse(of: key, now: clock.now())
        memory.insert(key, entry, bytes: entry.picture.bytes.count, checked: instant)
        return CacheHit(entry: entry, source: .disk, isStored: true)
    }

    /// Whether the file of an entry in memory is the same as ever, or the disk will not say.
    private func isUnchanged(
        _ key: EntryKey, _ entry: CacheEntry, _ instant: ContinuousClock.Instant
    ) -> Bool {
        if case .changed = disk.standing(of: key, entry) { return false }
        disk.noteUse(of: key, now: clock.now())
        memory.insert(key, entry, bytes: entry.picture.bytes.count, checked: instant)
        return true
    }

    /// Starts the job of a key, on the thread where it belongs. `size` is the poster to fetch for a
    /// thumbnail, where none that will do is cached.
    func start(_ key: EntryKey, _ jobClass: JobClass, fetching size: PosterSize? = nil) {
        switch key {
        case .poster(let path, let size):
            if let unavailability = failures.recall(key, now: clock.instant()) {
                return complete(key, .absent(unavailability))
            }
            let isQueued = transfers.submit(jobClass) { worker in
                self.complete(key, self.obtain(path, size, jobClass, &worker))
            }
            if !isQueued { complete(key, .busy("fetches")) }
        case .thumbnail(let path, let variant):
            if let poster = cachedSource(of: path, for: variant) {
                makeThumbnail(path, variant, from: poster, .made, jobClass)
            } else {
                obtainThumbnail(path, variant, from: size ?? variant.wantedSize, jobClass)
            }
        }
    }

    /// Takes a poster from the shared store; else fetches, proves and stores it, or finds that the
    /// expired one is still good. On a transfer thread; blocks.
    private func obtain(
        _ path: PosterPath, _ size: PosterSize, _ jobClass: JobClass,
        _ worker: inout TransferWorker
    ) -> Outcome {
        if draining.isRaised { return .closing }
        let key = EntryKey.poster(path, size)
        var old = lookUp(key)
        if let old, isFresh(old.entry) { return .hit(old) }
        if let newer = restore(path, size, newerThan: old?.entry) {
            if isFresh(newer.entry) { return .hit(newer) }
            old = newer
        }
        let claim = claims.claim(of: key)
        var newer: CacheHit?
        let isCached = {
            newer = self.lookUp(key, newerThan: old?.entry)
            return newer != nil
        }
        do throws(FetchError) {
            let result = try fetcher.fetch(
                configuration.imageBase.url(of: path, size: size), old?.entry.validators,
                jobClass.priority, governor, &worker, claim: claim, isCached: isCached
            ) { bytes throws(FetchError) in try self.prove(bytes, of: key, jobClass) }
            defer { claim.release() }
            switch result {
            case .cached:
                guard let newer else { throw FetchError(.other, "it is gone again") }
                failures.forget(key)
                return .hit(newer)
            case .fetched(let proven, let validators):
                failures.forget(key)
                return share(
                    store(proven, validators, of: key, replacesOld: old != nil), path, size)
            case .notModified:
                guard let old else { throw FetchError(.unexpectedStatus, "304 to a plain GET") }
                failures.forget(key)
                return share(renew(key, old.entry, at: clock.now()), path, size)
            case .missing(let status):
                if status == 410, let old {
                    memory.remove(key)
                    unstored.remove(key)
                    disk.remove(key, old.entry)
                    shared?.remove(path, size)
                }
                return fail(key, .missing(status: status))
            }
        } catch { return fail(key, .failed(error)) }
    }

    private func fail(_ key: EntryKey, _ unavailability: Unavailability) -> Outcome {
        failures.remember(key, unavailability, now: clock.instant())
        return .absent(unavailability)
    }

    /// Decodes a body whole; the same decode makes the thumbnails that wait for it. Blocks.
    private func prove(
        _ bytes: [UInt8], of key: EntryKey, _ jobClass: JobClass
    ) throws(FetchError) -> ProvenPoster {
        let variants = Array(wanted.withLock { $0.removeValue(forKey: key) } ?? [])
        let pixelClass = pixelClass(jobClass, variants, sourceBytes: bytes.count)
        let noteTint: @Sendable (Tint) -> Void = { self.note($0, of: key.path) }
        do throws(ImageError) {
            let (format, thumbnails) =
                variants.isEmpty
                ? (try pixels.verify(bytes, pixelClass, onTint: noteTint), [])
                : try pixels.thumbnails(of: bytes, as: variants, pixelClass, onTint: noteTint)
            for variant in variants { boxes.note(variant) }
            return ProvenPoster(
                picture: Picture(bytes: bytes, format: format, made: clock.now()),
                thumbnails: Array(zip(variants, thumbnails)))
        } catch {
            metrics.images.decodeRejects.add(error.reason)
            throw FetchError(error)
        }
    }
}
