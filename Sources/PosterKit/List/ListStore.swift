import Amodb

/// The list API's answers, kept 30 minutes on disk, one for all clients: the one door for the
/// relay, the trending page and `prefetch`.
public final class ListStore: Sendable {
    /// Threads that ask the API. It grants a few requests a second at most, but one that waits
    /// for its `Retry-After` must not hold up the others.
    private static let threads = 4

    typealias Reply = @Sendable (Result<ListAnswer, ListError>) -> Void

    private let key: Monitor<Secret?>
    private let maxAge: Duration
    private let keptFor: Duration
    private let cache: ListCache
    private let fetcher: ListFetcher
    private let pool: WorkerPool<TransferWorker>
    private let flights = SingleFlight<ListRequest, Result<ListAnswer, ListError>>()
    private let refusals = Monitor(ListRefusals())
    private let stop: StopSignal
    private let log: Log
    private let clock: Clock

    /// Opens `lists/` in the cache directory and starts the threads that ask upstream.
    public convenience init(
        _ configuration: Configuration, log: Log = .standardError, metrics: Metrics = Metrics()
    ) throws(CacheError) {
        try self.init(configuration, log: log, metrics: metrics, clock: .system, pause: nil)
    }

    /// Shares the cache directory and the metrics of a poster store: what befalls the disk is told
    /// once, and not by each of the two. Starts the threads that ask upstream.
    public convenience init(beside posters: PosterStore, log: Log = .standardError) {
        self.init(
            posters.configuration, cache: ListCache(posters.disk.files), log: log,
            metrics: posters.metrics, clock: .system, pause: nil)
    }

    /// As the public one, with a clock and a way to wait of the caller's.
    convenience init(
        _ configuration: Configuration, log: Log, metrics: Metrics, clock: Clock,
        pause: (@Sendable (Duration) -> Void)?
    ) throws(CacheError) {
        let cache = try ListCache(
            directory: configuration.cacheDirectory, log: log, metrics: metrics)
        self.init(
            configuration, cache: cache, log: log, metrics: metrics, clock: clock, pause: pause)
    }

    private init(
        _ configuration: Configuration, cache: ListCache, log: Log, metrics: Metrics,
        clock: Clock, pause: (@Sendable (Duration) -> Void)?
    ) {
        self.cache = cache
        let stop = StopSignal()
        self.stop = stop
        self.log = log
        self.clock = clock
        key = Monitor(Self.usable(configuration.apiKey))
        maxAge = configuration.listMaxAge
        keptFor = configuration.listKeptFor
        let host = configuration.apiBase.origin
        fetcher = ListFetcher(
            apiBase: configuration.apiBase, timeout: configuration.listTimeout,
            governor: HostGovernor(
                host, HostLimits(configuration, host: host, clock: clock, log: .silent),
                shared: SharedPause(
                    cacheDirectory: configuration.cacheDirectory, host: host, clock: clock),
                log: log, clock: clock),
            metrics: metrics
        ) { duration in
            guard let pause else { return !stop.wait(until: .now + duration) }
            pause(duration)
            return true
        }
        let caFile = configuration.caFile
        pool = WorkerPool(
            name: "lists", threads: Self.threads, capacity: configuration.queueLength
        ) {
            TransferWorker(
                userAgent: Program.userAgent, caFile: caFile, stop: stop, metrics: metrics)
        }
    }

    /// The answer to a request if it lies on disk and is under 30 minutes old; `nil` when more
    /// must be done. Blocks for the disk only.
    public func cached(_ request: ListRequest) -> ListAnswer? {
        cache.read(request.description).flatMap(fresh)
    }

    /// Answers one GET: calls `reply` exactly once, from some thread; at once and on this one
    /// when the answer is on disk.
    ///
    /// From disk while the answer is under 30 minutes old (`mayBeOld` false: asks upstream in
    /// any case); else from upstream, with at most two waits for `Retry-After`; else the last
    /// good one up to a day old, unless the plan has ended. Blocks for the disk only.
    public func answer(
        _ request: ListRequest, mayBeOld: Bool = true,
        _ reply: @escaping @Sendable (Result<ListAnswer, ListError>) -> Void
    ) {
        let asked = clock.now()
        if mayBeOld, let fresh = cached(request) { return reply(.success(fresh)) }
        guard let key = key.withLock({ $0 }) else { return reply(.failure(.keyMissing)) }
        if let error = refusals.withLock({ $0.recall(request, now: clock.instant()) }) {
            return reply(instead(of: error, request))
        }
        guard flights.join(request, { result, _ in reply(result) }).isFirst else { return }
        let isQueued = pool.submit(.live) { worker in
            self.flights.land(
                request, self.ask(request, key, newerThan: mayBeOld ? nil : asked, &worker))
        }
        if !isQueued {
            let busy = FetchError(.busy, "too many lists are asked for already")
            flights.land(request, instead(of: .unreachable(busy), request))
        }
    }

    /// As ``answer(_:mayBeOld:_:)``. Blocks.
    public func answer(
        _ request: ListRequest, mayBeOld: Bool = true
    ) throws(ListError) -> ListAnswer {
        let slot = Monitor<Result<ListAnswer, ListError>?>(nil)
        answer(request, mayBeOld: mayBeOld) { result in
            slot.withLock { $0 = result }
            slot.signal()
        }
        return try slot.wait { $0 }.get()
    }

    /// As ``answer(_:mayBeOld:_:)``, for callers that are async already.
    public func answer(
        _ request: ListRequest, mayBeOld: Bool = true
    ) async throws(ListError) -> ListAnswer {
        try await reply { answer(request, mayBeOld: mayBeOld, $0) }.get()
    }

    /// Whether the key was refused when it was last used.
    public var trouble: Trouble? {
        refusals.withLock { $0.refusal(now: clock.instant()) }
            .map { Trouble(.apiKeyRefused, $0.description) }
    }

    /// Asks with another key from now on, at once even if the last one was refused.
    public func replaceKey(_ new: Secret?) {
        key.withLock { $0 = Self.usable(new) }
        refusals.withLock { $0.forgetRefusal() }
    }

    private static func usable(_ key: Secret?) -> Secret? {
        key.flatMap { $0.revealed.isEmpty ? nil : $0 }
    }

    /// Ends the waits and the threads. Blocks for the requests that are under way.
    public func close() {
        stop.raise()
        pool.stop()
    }

    /// On a list thread; blocks.
    private func ask(
        _ request: ListRequest, _ key: Secret, newerThan asked: Timestamp?,
        _ worker: inout TransferWorker
    ) -> Result<ListAnswer, ListError> {
        // Another job may have ended between the look at the cache and the start of this one.
        if let kept = cache.read(request.description), asked.map({ kept.fetched > $0 }) ?? true,
            let fresh = fresh(kept)
        {
            return .success(fresh)
        }
        do throws(ListError) {
            let outcome = try fetcher.fetch(request, key: key, using: &worker)
            refusals.withLock { $0.forget(request) }
            switch outcome {
            case .list(let body, let contentType):
                let kept = ListCache.Kept(
                    body: body, contentType: contentType, fetched: clock.now())
                keep(request, kept)
                return .success(answer(kept, .upstream, secondsLeft: maxAge))
            case .other(let status, let body, let contentType):
                return .success(
                    ListAnswer(
                        status: status, contentType: Self.json(contentType), body: body,
                        source: .upstream, ageSeconds: 0, secondsLeft: 0))
            }
        } catch {
            note(error, request)
            return instead(of: error, request)
        }
    }

    private func note(_ error: ListError, _ request: ListRequest) {
        let wasRefused = refusals.withLock { refusals in
            let before = refusals.refusal(now: clock.instant())
            refusals.remember(request, error, now: clock.instant())
            return before != nil
        }
        if !wasRefused, error == .keyRefused || error == .planEnded {
            log(.error, "list_api_refused", ["reason": error.description])
        }
    }

    /// A full or read-only disk serves lists all the same; the cache counts and logs it.
    private func keep(_ request: ListRequest, _ list: ListCache.Kept) {
        do throws(CacheError) { try cache.write(request.description, list) } catch {}
    }

    private func fresh(_ kept: ListCache.Kept) -> ListAnswer? {
        let age = clock.now() - kept.fetched
        guard age + CacheEntry.clockTolerance >= .zero, age < maxAge else { return nil }
        return answer(kept, .cache, secondsLeft: maxAge - age)
    }

    /// The last good answer where there is one that may stand in for an error; else the error.
    private func instead(
        of error: ListError, _ request: ListRequest
    ) -> Result<ListAnswer, ListError> {
        guard error != .planEnded, let kept = cache.read(request.description),
            clock.now() - kept.fetched < keptFor
        else { return .failure(error) }
        return .success(answer(kept, .stale(error), secondsLeft: .zero))
    }

    private func answer(
        _ kept: ListCache.Kept, _ source: ListAnswer.Source, secondsLeft: Duration
    ) -> ListAnswer {
        ListAnswer(
            status: 200, contentType: Self.json(kept.contentType), body: kept.body,
            source: source,
            ageSeconds: max(0, Int((clock.now() - kept.fetched).components.seconds)),
            secondsLeft: Int(secondsLeft.components.seconds))
    }

    /// The body is JSON, whatever upstream called it.
    private static func json(_ contentType: String?) -> String {
        guard let contentType, contentType.lowercased().hasPrefix("application/json") else {
            return "application/json"
        }
        return contentType
    }
}
