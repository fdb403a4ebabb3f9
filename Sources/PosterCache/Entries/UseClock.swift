import PosterBase

/// When entries' uses were last noted by this process, so that a hit from memory asks no disk.
///
/// Bounded: when it is full it is emptied, and the files' own times decide.
final class UseClock: Sendable {
    /// How exactly a last use is known.
    static let interval = Duration.seconds(3600)

    private let noted = Monitor<[EntryKey: Timestamp]>([:])
    private static let capacity = 1 << 16

    /// Whether a use is to be noted now; the same one is not due again for an hour.
    func isDue(_ key: EntryKey, now: Timestamp) -> Bool {
        noted.withLock { noted in
            if let last = noted[key], (now - Self.interval...now).contains(last) { return false }
            if noted.count >= Self.capacity { noted.removeAll() }
            noted[key] = now
            return true
        }
    }
}
