/// How fast bad entries are found, to be told once when it is more than rot: a cache of another
/// version, a fault of this program, a disk that dies.
///
/// Times are given, so the rule can be tested by table.
struct BadEntryRate {
    /// So many within ``window`` are a state and no accident.
    static let threshold = 100
    static let window = Duration.seconds(60)

    private var start: ContinuousClock.Instant?
    private var count = 0
    private var isTold = false

    /// Notes one. `true` when it is the one that makes it news: not again before a window had
    /// fewer than the threshold.
    mutating func note(now: ContinuousClock.Instant) -> Bool {
        if let start, now < start + Self.window {
            count += 1
        } else {
            let isOver = count < Self.threshold || start.map { now >= $0 + Self.window * 2 } ?? true
            if isOver { isTold = false }
            (start, count) = (now, 1)
        }
        guard count >= Self.threshold, !isTold else { return false }
        isTold = true
        return true
    }
}
