/// Remembers for a while that a poster could not be had, so that upstream is not asked again
/// for every client that wishes for it. Bounded in number; in memory only.
final class FailureMemory: Sendable {
    init(capacity: Int) { fatalError("unbuilt") }

    /// What is remembered of a key at a moment.
    func recall(_ key: EntryKey, now: ContinuousClock.Instant) -> Absence? { fatalError("unbuilt") }

    /// Remembers, for as long as the kind of absence deserves: 404/410 an hour, not an image ten
    /// minutes, a timeout or 5xx 15 s and doubling up to ten minutes with each in a row.
    func remember(_ key: EntryKey, _ absence: Absence, now: ContinuousClock.Instant) {
        fatalError("unbuilt")
    }

    /// Forgets a key that was had after all.
    func forget(_ key: EntryKey) { fatalError("unbuilt") }
}
