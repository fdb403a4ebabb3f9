import Amodb
import PosterBase
import PosterCache
import PosterFetch
import PosterKit

/// The tier behind the disk that several nodes share: whole posters in an object store.
///
/// Its troubles are its own. A look costs at most the deadline, and nothing while the store is
/// known to fail; what is to be written waits in a bounded queue, and is dropped where that is
/// full. Thumbnails are not kept there: made from a poster, they cost less than they would there.
package final class SharedTier: SharedStore {
    /// Rights may differ: a key that may not write can read all the same.
    private enum Side {
        case reading, writing
    }

    private struct State {
        var reading = StoreBreaker()
        var writing = StoreBreaker()
        /// Objects and bytes that are to be written, those under way included.
        var (queued, queuedBytes) = (0, 0)

        subscript(side: Side) -> StoreBreaker {
            get { side == .reading ? reading : writing }
            set { if side == .reading { reading = newValue } else { writing = newValue } }
        }
    }

    private let bucket: Bucket
    private let settings: ObjectStoreSettings
    private let maxAge: Duration
    /// What its requests count.
    package let metrics = ObjectStoreMetrics()
    private let log: Log
    private let clock: TimeSource
    private let stop = StopSignal()
    private let writers: WorkerPool<Void>
    private let state = Monitor(State())

    init(
        _ settings: ObjectStoreSettings, _ configuration: Configuration, log: Log, clock: TimeSource
    ) {
        (self.settings, maxAge) = (settings, configuration.maxAge)
        (self.log, self.clock) = (log, clock)
        bucket = Bucket(
            settings, maxBytes: configuration.imageLimits.bytes, stop: stop, metrics: metrics)
        writers = WorkerPool(
            name: "store-writes", threads: settings.writers, capacity: settings.queueLength
        ) {}
    }

    /// Signs with others from now on, and asks again at once.
    func replace(_ credentials: ObjectStoreCredentials) {
        bucket.replace(credentials)
        state.withLock { ($0.reading, $0.writing) = (StoreBreaker(), StoreBreaker()) }
    }

    /// The poster as the store has it, perhaps expired; `nil` when it has none, or none that fits
    /// its seal, or does not say. Blocks, for the deadline at most.
    func read(_ path: PosterPath, _ size: PosterSize) -> CacheEntry? {
        let key = EntryKey.poster(path, size)
        do throws(StoreError) {
            try admit(.reading)
            let response = try bucket.send(
                .get, settings.location.key(path, size), within: settings.deadline)
            let isThere = try StoreAnswer.judge(response, now: .now())
            noteAnswer(.reading)
            guard isThere else {
                metrics.reads.add(.miss)
                return nil
            }
            let entry: CacheEntry
            do throws(ObjectMetadata.Fault) {
                entry = try ObjectMetadata.entry(key, in: response, now: clock.now())
            } catch {
                metrics.reads.add(ObjectStoreMetrics.Read(error))
                return nil
            }
            let isExpired = entry.freshness(now: clock.now(), maxAge: maxAge) == .expired
            metrics.reads.add(isExpired ? .expired : .hit)
            return entry
        } catch {
            metrics.reads.add(error.kind == .paused ? .skipped : .failed)
            note(error, .reading)
            return nil
        }
    }

    /// Has a poster written, soon and by some other thread, or drops it. Does not block.
    func write(_ path: PosterPath, _ size: PosterSize, _ entry: CacheEntry) {
        submit(bytes: entry.picture.bytes.count) { self.put(path, size, entry) }
    }

    /// Has a poster removed that upstream says is gone. Does not block.
    func remove(_ path: PosterPath, _ size: PosterSize) {
        submit(bytes: 0) {
            self.change(.deleted) { () throws(StoreError) in
                try self.bucket.send(
                    .delete, self.settings.location.key(path, size),
                    within: self.settings.writeDeadline)
            }
        }
    }

    private func submit(bytes: Int, _ job: @escaping @Sendable () -> Void) {
        // A store that does not even answer looks takes nothing.
        let (hasRoom, isWell) = state.withLock { state in
            let hasRoom =
                state.queued < settings.queueLength
                && state.queuedBytes + bytes <= settings.queueBytes
            let isWell = state.reading.cause == nil
            if hasRoom, isWell {
                state.queued += 1
                state.queuedBytes += bytes
            }
            return (hasRoom, isWell)
        }
        guard isWell else { return metrics.drops.add(.paused) }
        guard hasRoom else { return metrics.drops.add(.queueFull) }
        let isQueued = writers.submit(.background) { _ in
            if self.stop.isRaised { self.metrics.drops.add(.closing) } else { job() }
            self.leaveQueue(bytes)
        }
        guard !isQueued else { return }
        metrics.drops.add(.closing)
        leaveQueue(bytes)
    }

    private func leaveQueue(_ bytes: Int) {
        state.withLock { state in
            state.queued -= 1
            state.queuedBytes -= bytes
        }
        state.notifyAll()
    }

    private func put(_ path: PosterPath, _ size: PosterSize, _ entry: CacheEntry) {
        let left = (entry.validated + maxAge) - clock.now()
        guard left > .zero else { return }
        var headers: [(name: String, value: String)] = [
            ("Content-Type", entry.picture.format.mediaType),
            // OpenStack Swift's own expiry; others have rules for the bucket, and ignore it.
            ("X-Delete-After", String(left.wholeSeconds)),
        ]
        headers += ObjectMetadata.fields(.poster(path, size), entry)
        let fields = headers
        change(.written) { () throws(StoreError) in
            try self.bucket.send(
                .put(entry.picture.bytes), self.settings.location.key(path, size), headers: fields,
                within: self.settings.writeDeadline)
        }
    }

    private func change(
        _ done: ObjectStoreMetrics.Write, _ send: () throws(StoreError) -> FetchResponse
    ) {
        do throws(StoreError) {
            try admit(.writing)
            // To delete what is not there is as good.
            _ = try StoreAnswer.judge(try send(), now: .now())
            noteAnswer(.writing)
            metrics.writes.add(done)
        } catch {
            if error.kind == .paused {
                metrics.drops.add(.paused)
            } else {
                metrics.writes.add(.failed)
            }
            note(error, .writing)
        }
    }

    private func admit(_ side: Side) throws(StoreError) {
        let now = clock.instant()
        switch state.withLock({ $0[side].judge(now: now) }) {
        case .go, .probe: return
        case .wait(let left): throw StoreError(.paused, "for \(left.wholeSeconds) s more")
        }
    }

    private func noteAnswer(_ side: Side) {
        let isBack = state.withLock { $0[side].noteAnswer() }
        if isBack { log(.info, "store_back", ["store": "\(settings.location)"]) }
    }

    private func note(_ error: StoreError, _ side: Side) {
        guard error.kind != .paused else { return }
        metrics.errors.add(error.kind)
        // One object that is too large says that the store is well.
        guard error.kind != .tooLarge else { return noteAnswer(side) }
        let now = clock.instant()
        guard let news = state.withLock({ $0[side].note(error, now: now) }), news.isNews
        else { return }
        log(
            .warn, "store_failing",
            ["store": "\(settings.location)", "because": error.description])
    }

    /// The reason for a readiness probe; `nil` when all is well.
    var healthIssue: HealthIssue? {
        let now = clock.instant()
        return state.withLock { state -> HealthIssue? in
            for (breaker, what) in [(state.reading, "read"), (state.writing, "written to")] {
                guard let cause = breaker.cause else { continue }
                let when =
                    breaker.left(now: now).map { "for \($0.wholeSeconds) s more" }
                    ?? "but once, to try"
                return HealthIssue(
                    .storeFailing, "the shared store is not \(what) \(when), because of \(cause)")
            }
            return nil
        }
    }

    /// What is to be written, that under way included, and for how long the store is left alone.
    var load: (queued: Int, bytes: Int, pauseSeconds: Int) {
        let now = clock.instant()
        return state.withLock { state in
            let left = [state.reading, state.writing].compactMap { $0.left(now: now) }.max()
            return (state.queued, state.queuedBytes, left?.wholeSeconds ?? 0)
        }
    }

    /// Waits until nothing is to be written any more, until `deadline` at the latest. Returns
    /// whether all of it is done. Blocks.
    @discardableResult
    func finishWrites(by deadline: ContinuousClock.Instant) -> Bool {
        state.wait(until: deadline) { $0.queued == 0 ? true : nil } ?? false
    }

    /// Waits as long as the settings say for what is to be written, drops the rest, and ends the
    /// threads. Blocks.
    func close() {
        finishWrites(by: .now + settings.drain)
        stop.raise()
        writers.stop()
    }
}

extension ObjectStoreLocation {
    /// The key of a poster's object: `PREFIX/w342/AbCdEf.jpg`.
    func key(_ path: PosterPath, _ size: PosterSize) -> String {
        key("\(size.rawValue)\(path)")
    }
}
