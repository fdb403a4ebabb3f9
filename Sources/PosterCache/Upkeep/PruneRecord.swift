import PosterBase

/// For how long a cache has been pruned under one steady clock: an empty file whose mtime is when the
/// first of these prunes ran, and whose atime is when the last one did.
///
/// After a jump ahead everything looks expired at once, and after a month out of use as well. The
/// cache's own times cannot tell the two apart; that prunes have run for a week since, each soon after
/// the one before by this very clock, can.
struct PruneRecord {
    static let name = "pruned"
    /// The most that lies between two prunes under a steady clock: a weekly cron line, late.
    static let longestPause = Duration.seconds(8 * 86_400)

    let root: Directory

    /// How long the clock has been steady by now, this prune included. Takes note of it unless
    /// `isDryRun`.
    func steadySpan(now: Timestamp, isDryRun: Bool) throws(FileError) -> Duration {
        let known = try root.status(Self.name).flatMap { $0.kind == .regular ? $0 : nil }
        var first = now
        if let known, known.modified <= known.accessed, known.accessed <= now,
            known.accessed + Self.longestPause >= now
        {
            first = known.modified
        }
        if !isDryRun {
            if known == nil { _ = try root.openToAppend(Self.name) }
            try root.setTimes(Self.name, accessed: now, modified: first)
        }
        return now - first
    }
}
