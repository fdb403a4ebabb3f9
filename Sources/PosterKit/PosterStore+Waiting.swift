import Amodb
import PosterBase
import PosterCache
import PosterFetch

extension PosterStore {
    /// Joins the key's job, or starts it, and hands its outcome on, once: when it is there, or at
    /// the deadline, whichever comes first.
    func wait(
        for key: EntryKey, _ jobClass: JobClass, fetching size: PosterSize? = nil,
        until deadline: ContinuousClock.Instant?,
        _ complete: @escaping @Sendable (Outcome, _ isCollapsed: Bool) -> Void
    ) {
        let (waiter, isFirst) = flights.join(key) { outcome, isFirst in complete(outcome, !isFirst)
        }
        if let deadline {
            // It outlives the wait, so it holds nothing of what waits, nor the store.
            deadlines.schedule(at: deadline) { [flights] in
                guard let complete = flights.leave(key, waiter: waiter) else { return }
                let late = FetchError(.deadline, "no answer from upstream before the deadline")
                complete(.absent(.failed(late)), isFirst)
            }
        }
        guard isFirst else { return metrics.fetch.notes.add(.coalesced) }
        start(key, jobClass, fetching: size)
    }

    /// As ``answer(_:by:_:)``, while looks at the disk take long: the look is done by whom `submit`
    /// gives it to, and at the deadline, or when no thread takes it, the answer comes without. Does
    /// not block.
    public func answer(
        _ request: PosterRequest, by deadline: ContinuousClock.Instant,
        from submit: (_ look: @escaping @Sendable () -> Void) -> Bool,
        _ reply: @escaping @Sendable (Answer) -> Void
    ) {
        let reply = counted(reply)
        let once = OnceReply(reply)
        let isTaken = submit { self.respond(to: request, by: deadline) { once.give($0) } }
        guard isTaken else { return answerWithoutDisk(request, reply) }
        deadlines.schedule(at: deadline) { [weak self] in
            guard let self, let reply = once.take() else { return }
            answerWithoutDisk(request, reply)
        }
    }

    /// A reply that counts what it is given.
    func counted(
        _ reply: @escaping @Sendable (Answer) -> Void
    ) -> @Sendable (Answer) -> Void {
        { [metrics] answer in
            metrics.cacheResults.add(answer.state.result)
            reply(answer)
        }
    }

    /// Ends a key's job, and counts it where it filled the cache after its last client had left.
    func complete(_ key: EntryKey, _ outcome: Outcome) {
        // What has waited for a poster is made by one decode.
        let isAwaited = together(key.path) { flights.complete(key, outcome) }
        if !isAwaited, case .hit = outcome { metrics.fetch.notes.add(.lateFill) }
    }

    /// Judges an entry's age at this moment.
    func isFresh(_ entry: CacheEntry) -> Bool {
        entry.freshness(now: clock.now(), maxAge: configuration.maxAge) != .expired
    }

    /// The answer for an entry that is what was asked for.
    func fresh(_ held: CacheHit, isCollapsed: Bool) -> Answer {
        let moment = clock.now()
        var secondsLeft = 0
        if case .fresh(let seconds) = held.entry.freshness(
            now: moment, maxAge: configuration.maxAge)
        {
            secondsLeft = seconds
        }
        return Answer(
            picture: held.entry.picture, state: .fresh(held.source, secondsLeft: secondsLeft),
            ageSeconds: held.entry.ageSeconds(now: moment), isCollapsed: isCollapsed,
            isStored: held.isStored)
    }
}

extension Answer.State {
    /// The name that it is counted under.
    var result: Metrics.CacheResult {
        switch self {
        case .fresh(let source, _): source.result
        case .staleIfError: .stale
        case .derived: .derived
        case .absent(let unavailability):
            unavailability.placeholderKind == .missing
                ? .placeholderMissing : .placeholderUnavailable
        }
    }
}

extension Answer.Source {
    /// The name that it is counted under.
    fileprivate var result: Metrics.CacheResult {
        switch self {
        case .memory: .hitMemory
        case .disk: .hitDisk
        case .store: .hitStore
        case .made, .fetched, .refetched, .revalidated: .miss
        }
    }
}
