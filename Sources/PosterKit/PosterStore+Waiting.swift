import Amodb

extension PosterStore {
    /// Joins the key's job, or starts it, and hands its outcome on, once: when it is there, or at
    /// the deadline, whichever comes first.
    func wait(
        for key: EntryKey, _ priority: Priority, fetching size: PosterSize? = nil,
        until deadline: ContinuousClock.Instant?,
        _ land: @escaping @Sendable (Outcome, _ isCollapsed: Bool) -> Void
    ) {
        let (waiter, isFirst) = flights.join(key) { outcome, isFirst in land(outcome, !isFirst) }
        if let deadline {
            // It outlives the wait, so it holds nothing of who waits: not the request, not the reply.
            deadlines.schedule(at: deadline) {
                guard let land = self.flights.leave(key, waiter: waiter) else { return }
                let late = FetchError(.deadline, "no answer from upstream before the deadline")
                land(.absent(.unavailable(late)), isFirst)
            }
        }
        guard isFirst else { return metrics.fetchNotes.add(.coalesced) }
        start(key, priority, fetching: size)
    }

    /// As ``answer(_:by:_:)``, while looks at the disk take long: the look is done by whom `submit`
    /// gives it to, and at the deadline, or when nobody takes it, the answer comes without. Does
    /// not block.
    public func answer(
        _ wish: Wish, by deadline: ContinuousClock.Instant,
        from submit: (_ look: @escaping @Sendable () -> Void) -> Bool,
        _ reply: @escaping @Sendable (Answer) -> Void
    ) {
        // Whoever is first takes it, so that the alarm holds nothing of who has an answer.
        let waiting = Monitor<(@Sendable (Answer) -> Void)?>(reply)
        let take = { @Sendable in
            waiting.withLock { waiting in
                defer { waiting = nil }
                return waiting
            }
        }
        let isTaken = submit { self.answer(wish, by: deadline) { take()?($0) } }
        guard isTaken else { return answerWithoutDisk(wish, reply) }
        deadlines.schedule(at: deadline) {
            if let reply = take() { self.answerWithoutDisk(wish, reply) }
        }
    }

    /// Ends a key's job, and counts it where it filled the cache for nobody who still waits.
    func land(_ key: EntryKey, _ outcome: Outcome) {
        // What has waited for a poster is made by one decode.
        let isAwaited = together(key.path) { flights.land(key, outcome) }
        if !isAwaited, case .held = outcome { metrics.fetchNotes.add(.lateFill) }
    }

    /// Judges an entry's age at this moment.
    func isFresh(_ entry: CacheEntry) -> Bool {
        entry.freshness(now: clock.now(), maxAge: configuration.maxAge) != .expired
    }

    /// The answer for an entry that is what was asked for.
    func fresh(_ held: Outcome.Held, isCollapsed: Bool) -> Answer {
        let moment = clock.now()
        var secondsLeft = 0
        if case .fresh(let seconds) = held.entry.freshness(
            now: moment, maxAge: configuration.maxAge)
        {
            secondsLeft = seconds
        }
        metrics.cacheResults.add(held.source.result)
        return Answer(
            picture: held.entry.picture, state: .fresh(held.source, secondsLeft: secondsLeft),
            ageSeconds: held.entry.ageSeconds(now: moment), isCollapsed: isCollapsed,
            isStored: held.isStored)
    }
}

extension Answer.Source {
    /// The name that it is counted under.
    var result: Metrics.CacheResult {
        switch self {
        case .memory: .hitMemory
        case .disk: .hitDisk
        case .store: .hitStore
        case .made, .fetched, .refetched, .revalidated: .miss
        }
    }
}
