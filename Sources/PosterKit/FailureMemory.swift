import PosterBase
import PosterCache
import PosterFetch

/// Remembers for a while that a poster could not be had, so that upstream is not asked again
/// for every client that asks for it. Bounded in number; in memory only.
final class FailureMemory: Sendable {
    private struct Record {
        let unavailability: Unavailability
        let until: ContinuousClock.Instant
        /// Passing failures in a row, this one included.
        let streak: Int
    }

    private let capacity: Int
    private let jitter: @Sendable () -> Double
    private let records = Monitor<[EntryKey: Record]>([:])

    /// `jitter` gives numbers from 0 up to 1, which spread out the ends of what began together.
    init(
        capacity: Int, jitter: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
    ) {
        self.capacity = max(1, capacity)
        self.jitter = jitter
    }

    /// What is remembered of a key at a moment.
    func recall(_ key: EntryKey, now: ContinuousClock.Instant) -> Unavailability? {
        records.withLock { records in
            guard let record = records[key], now < record.until else { return nil }
            return record.unavailability
        }
    }

    /// Remembers, for as long as the kind of unavailability deserves: 404/410 an hour and up to
    /// a tenth more, 401/403 and what is not an image ten minutes, a timeout or 5xx 15 s and
    /// doubling up to ten minutes with each in a row.
    func remember(_ key: EntryKey, _ unavailability: Unavailability, now: ContinuousClock.Instant) {
        let lifetime = FailureLifetime(of: unavailability)
        guard lifetime != .none else { return }
        records.withLock { records in
            let streak = lifetime == .passing ? (records[key]?.streak ?? 0) + 1 : 0
            if records.count >= capacity, records[key] == nil {
                Self.makeRoom(in: &records, capacity: capacity, now: now)
            }
            records[key] = Record(
                unavailability: unavailability,
                until: now + lifetime.duration(streak: streak, jitter: jitter()), streak: streak)
        }
    }

    /// Forgets a key that was had after all.
    func forget(_ key: EntryKey) { records.withLock { _ = $0.removeValue(forKey: key) } }

    /// How many keys are remembered, those whose time is over included.
    var count: Int { records.withLock { $0.count } }

    /// Drops a tenth: what is over, then what will be over soonest. One walk for many additions.
    private static func makeRoom(
        in records: inout [EntryKey: Record], capacity: Int, now: ContinuousClock.Instant
    ) {
        let surplus = records.count - capacity + max(1, capacity / 10)
        for (key, _) in records.sorted(by: { $0.value.until < $1.value.until }).prefix(surplus) {
            records[key] = nil
        }
    }
}

extension FailureLifetime {
    /// The kind of an unavailability.
    init(of unavailability: Unavailability) {
        self =
            switch unavailability {
            case .noPoster: .none
            case .missing: .missing
            case .failed(let error): Self(of: error.reason)
            }
    }
}
