public import Amodb
public import PosterBase
package import PosterCache
package import PosterFetch

/// The list API's answers, kept on disk, one for all clients: the one door for the relay, the
/// trending page and `prefetch`.
///
///     request ─► under 30 minutes old ─────────────────────► answer
///                under an hour old ────────────────────────► answer, and ask in the background
///                else ask, as far as the budget goes ──────► answer
///                       │ no room in the budget, no answer        ▲
///                       └─► the last good one of this day ────────┘
public final class ListStore: Sendable {
    /// On whose behalf a list is asked for.
    public enum Purpose: Sendable {
        /// A client of the list API.
        case relay
        /// A visitor of the trending page.
        case page
        /// A prefetch: it takes no list over 30 minutes old where a new one is to be had, and
        /// waits for room in the budget, ``ListStore/prefetchPatience`` at most.
        case prefetch
    }

    /// How long a prefetch waits for room in the budget, for each list.
    static let prefetchPatience = Duration.seconds(120)
    /// A list under this age is new enough for any request: a page that any visitor may reload must
    /// not use the budget up.
    public static let newSeconds = 60
    /// How long a list counts as in use after it was asked for.
    static let usedFor = Duration.seconds(3600)

    /// Threads that ask the API. It grants a few requests a second at most, but one that waits
    /// for its `Retry-After` must not hold up the others.
    static let threads = 4

    typealias Reply = @Sendable (Result<ListAnswer, ListError>) -> Void

    let key: Monitor<Secret?>
    let maxAge: Duration
    private let staleFor: Duration
    let cache: ListCache
    let fetcher: ListFetcher
    let pool: WorkerPool<TransferWorker>
    let flights = SingleFlight<ListRequest, Result<ListAnswer, ListError>>()
    let refusals = Monitor(ListRefusals())
    let missing = MissingLists()
    /// The requests whose lists name films for placeholders, and when the last one came that does.
    let naming = Monitor<[ListRequest: Timestamp]>([:])
    private let door = AsyncDoor()
    private let stop: StopSignal
    /// Ends the waits for a turn and for `Retry-After`.
    private let draining: StopSignal
    let log: Log
    let clock: TimeSource

    /// Keeps lists in `cache`, and starts the threads that ask upstream. `pause`, where there is one,
    /// waits instead of the store.
    package init(
        _ settings: ListSettings, cache: ListCache, log: Log, metrics: FetchMetrics,
        clock: TimeSource, pause: (@Sendable (Duration) -> Void)?
    ) {
        self.cache = cache
        let (stop, draining) = (StopSignal(), StopSignal())
        (self.stop, self.draining) = (stop, draining)
        self.log = log
        self.clock = clock
        key = Monitor(Self.usable(settings.apiKey))
        maxAge = settings.maxAge
        staleFor = settings.staleWhileRevalidate
        let host = settings.apiBase.origin
        fetcher = ListFetcher(
            apiBase: settings.apiBase, timeout: settings.timeout,
            governor: HostGovernor(
                host, settings.limits,
                shared: SharedPause(
                    cacheDirectory: settings.cacheDirectory, host: host, clock: clock),
                log: log, clock: clock),
            budget: RequestBudget(
                perMinute: settings.requestsPerMinute,
                file: BudgetFile(cacheDirectory: settings.cacheDirectory, host: host),
                clock: clock),
            metrics: metrics
        ) { duration in
            guard let pause else { return !draining.wait(until: .now + duration) }
            pause(duration)
            return true
        }
        let caFile = settings.caFile
        let limits = settings.transferLimits
        pool = WorkerPool(
            name: "lists", threads: Self.threads, capacity: settings.queueLength
        ) {
            TransferWorker(
                userAgent: Program.userAgent, caFile: caFile, stop: stop, metrics: metrics,
                limits: limits)
        }
    }

    /// The answer to a request if it is at hand: under 30 minutes old; or under an hour, and then
    /// upstream is asked in the background, once however often this is called. `nil` when the
    /// caller would have to wait. Blocks for the disk only.
    public func cached(_ request: ListRequest, for purpose: Purpose = .relay) -> ListAnswer? {
        if Self.namesFilms(request, purpose) { nameFilms(request) }
        return atHand(request, cache.lookUp(request.description), purpose)
    }

    /// Answers one GET: calls `reply` exactly once, from some thread; at once and on this one
    /// when the answer is on disk.
    ///
    /// From the cache as ``cached(_:for:)`` has it (`mayBeOld` false: asks upstream in any case);
    /// else from upstream, as far as the budget goes, with at most two waits for `Retry-After`;
    /// else the last good one up to a day old. Blocks for the disk only.
    public func answer(
        _ request: ListRequest, mayBeOld: Bool = true, for purpose: Purpose = .relay,
        _ reply: @escaping @Sendable (Result<ListAnswer, ListError>) -> Void
    ) {
        let asked = clock.now()
        if Self.namesFilms(request, purpose) { nameFilms(request) }
        let found = cache.lookUp(request.description)
        if mayBeOld, let answer = atHand(request, found, purpose) { return reply(.success(answer)) }
        if let missing = missing.recall(request, now: clock.instant()) {
            return reply(.success(missing))
        }
        guard let key = key.withLock({ $0 }) else {
            return reply(instead(of: .keyMissing, request))
        }
        if let error = refusals.withLock({ $0.recall(request, now: clock.instant()) }) {
            return reply(instead(of: error, request))
        }
        guard flights.join(request, { result, _ in reply(result) }).isFirst else { return }
        ask(
            Question(
                request: request, key: key, newerThan: mayBeOld ? nil : asked,
                claim: claim(request, lastUse: found?.lastUse, for: purpose),
                patience: purpose == .prefetch ? Self.prefetchPatience : .zero), .live)
    }

    /// As ``answer(_:mayBeOld:for:_:)``, for callers that are async already: nothing blocks the
    /// caller's actor. Throws ``ListError/cancelled`` when the task is cancelled before the answer
    /// is there; the work goes on and fills the cache.
    public func answer(
        _ request: ListRequest, mayBeOld: Bool = true, for purpose: Purpose = .relay
    ) async throws(ListError) -> ListAnswer {
        let result: Result<ListAnswer, ListError>
        do throws(CancellationError) {
            result = try await door.reply {
                self.answer(request, mayBeOld: mayBeOld, for: purpose, $0)
            }
        } catch { throw .cancelled }
        return try result.get()
    }

    private func atHand(
        _ request: ListRequest, _ found: (kept: ListCache.Kept, lastUse: Timestamp)?,
        _ purpose: Purpose
    ) -> ListAnswer? {
        if let found, let fresh = fresh(found.kept) {
            noteUse(of: request, found.lastUse)
            noteNames(request, found.kept)
            return fresh
        }
        guard missing.recall(request, now: clock.instant()) == nil, let found,
            purpose != .prefetch, age(of: found.kept) < maxAge + staleFor, isPast(found.kept)
        else { return nil }
        refresh(request, lastUse: found.lastUse)
        noteUse(of: request, found.lastUse)
        return answer(found.kept, .refreshing, secondsLeft: .zero)
    }

    /// Whether the key was refused when it was last used.
    public var healthIssue: HealthIssue? {
        refusals.withLock { $0.refusal(now: clock.instant()) }
            .map { HealthIssue(.apiKeyRefused, $0.description) }
    }

    /// Asks with another key from now on, at once even if the last one was refused.
    public func replaceKey(_ new: Secret?) {
        key.withLock { $0 = Self.usable(new) }
        refusals.withLock { $0.forgetRefusal() }
    }

    private static func usable(_ key: Secret?) -> Secret? {
        key.flatMap { $0.revealed.isEmpty ? nil : $0 }
    }

    /// Sends no more requests and ends the waits. What is under way goes on. Does not block.
    public func drain() {
        draining.raise()
        fetcher.governor.close()
    }

    /// Breaks off the requests that are under way, too, within a second. Does not block.
    public func abort() {
        drain()
        stop.raise()
    }

    /// Breaks off the requests and ends the threads. Blocks.
    public func close() {
        abort()
        door.close()
        pool.stop()
    }

    // As its jobs hold the store, none is under way when it is let go of.
    deinit { close() }

    /// A full or read-only disk serves lists all the same; the cache counts and logs it.
    func keep(_ request: ListRequest, _ list: ListCache.Kept) {
        do throws(FileError) { try cache.write(request.description, list) } catch {}
    }

    private func age(of kept: ListCache.Kept) -> Duration { clock.now() - kept.fetched }

    /// Whether it is from the past: a clock may have been set back since.
    private func isPast(_ kept: ListCache.Kept) -> Bool {
        age(of: kept) + CacheEntry.clockTolerance >= .zero
    }

    func fresh(_ kept: ListCache.Kept) -> ListAnswer? {
        let age = age(of: kept)
        guard isPast(kept), age < maxAge else { return nil }
        return answer(kept, .cache, secondsLeft: maxAge - age)
    }

    /// The last good answer where there is one that may stand in for an error; else the error.
    func instead(
        of error: ListError, _ request: ListRequest
    ) -> Result<ListAnswer, ListError> {
        guard let (kept, lastUse) = cache.lookUp(request.description),
            age(of: kept) < ListCache.keptFor
        else { return .failure(error) }
        noteUse(of: request, lastUse)
        return .success(answer(kept, .stale(error), secondsLeft: .zero))
    }

    func answer(
        _ kept: ListCache.Kept, _ source: ListAnswer.Source, secondsLeft: Duration
    ) -> ListAnswer {
        ListAnswer(
            status: 200, contentType: Self.json(kept.contentType), body: kept.body,
            source: source,
            ageSeconds: max(0, Int(age(of: kept).components.seconds)),
            secondsLeft: Int(secondsLeft.components.seconds))
    }

    /// The body is JSON, whatever upstream called it.
    static func json(_ contentType: String?) -> String {
        ListFetcher.contentType(contentType) ?? "application/json"
    }
}
