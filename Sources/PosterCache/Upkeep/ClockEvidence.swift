import PosterBase

/// What the times of a cache's entries say of the clock that their ages are taken from.
///
/// Times ahead of the clock are wrong, or the clock is: the majority decides. A clock that has
/// jumped ahead makes everything look old at once, and leaves a gap: no entry was written, renewed or
/// used in the time that it skipped. The same gap is there after a month without power or without
/// requests; then ages count again once the cache has been used, or pruned, for a week.
struct ClockEvidence {
    /// Entries that were counted.
    private(set) var entries = 0
    /// Those dated ahead of the clock.
    private(set) var ahead = 0
    /// Those past their age that nothing has touched for ``gap`` and ``week``.
    private(set) var stale = 0
    /// Entries last touched before ``week`` and ``gap``, and within the gap.
    private var touchedBefore = 0
    private var touchedInGap = 0

    /// The span in which the cache has to have been used under this clock.
    static let week = Duration.seconds(7 * 86_400)
    /// The span before it that must not be empty.
    static let gap = Duration.seconds(7 * 86_400)
    /// A gap may hold one of so many: a file that was copied by hand.
    private static let strays = 100

    init() {}

    /// Counts an entry.
    mutating func add(_ file: FileStatus, isExpired: Bool, _ rule: EvictionRule) {
        entries += 1
        if rule.isAhead(file) { ahead += 1 }
        // Whatever was done to a file last; what is ahead of the clock says nothing.
        let limit = rule.now + EvictionRule.clockTolerance
        let touched = [file.modified, file.accessed, file.changed].filter { $0 <= limit }.max()
        guard let touched, touched <= rule.now - Self.week else { return }
        guard touched <= rule.now - Self.week - Self.gap else {
            touchedInGap += 1
            return
        }
        touchedBefore += 1
        if isExpired { stale += 1 }
    }

    /// Takes in what another thread counted.
    mutating func add(_ other: ClockEvidence) {
        entries += other.entries
        ahead += other.ahead
        stale += other.stale
        touchedBefore += other.touchedBefore
        touchedInGap += other.touchedInGap
    }

    /// Why the clock cannot be trusted; `nil`: it can. `steadyFor` is how long prunes have run under it
    /// without a jump.
    func doubt(steadyFor span: Duration) -> Prune.ClockDoubt? {
        if ahead > entries / 2 { return .behind(entries: ahead, of: entries) }
        let isGapEmpty = touchedInGap * Self.strays <= touchedBefore
        if stale > entries / 2, isGapEmpty, span < Self.week {
            return .ahead(entries: stale, of: entries)
        }
        return nil
    }
}
