/// At most so many events in any one second, as early as that allows.
///
/// It remembers the last N moments. A burst passes at once, then the rest is spaced by what has
/// gone before; a token bucket that allows the same burst lets nearly 2 N pass in its first second.
struct RateWindow: Sendable {
    private static let span = Duration.seconds(1)
    private var moments: [ContinuousClock.Instant] = []
    private var oldest = 0
    private let limit: Int

    /// `perSecond` 0: no limit.
    init(perSecond: Int) { limit = max(0, perSecond) }

    /// When the next event may happen, `now` at the earliest.
    func next(now: ContinuousClock.Instant) -> ContinuousClock.Instant {
        guard limit > 0, moments.count == limit else { return now }
        return max(now, moments[oldest] + Self.span)
    }

    /// Counts an event.
    mutating func note(at moment: ContinuousClock.Instant) {
        guard limit > 0 else { return }
        if moments.count < limit {
            moments.append(moment)
        } else {
            moments[oldest] = moment
            oldest = (oldest + 1) % limit
        }
    }
}
