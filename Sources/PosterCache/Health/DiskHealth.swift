import PosterBase

/// Whether the disk does what it is asked, as a state that changes seldom and is told once.
///
/// After a failed write the next ones are refused for ``pause`` without asking the disk, then one
/// of them is let through to try. Times are given, so the rule can be tested by table.
struct DiskHealth {
    /// How long the disk is left alone after a failure.
    let pause: Duration

    /// What the last failure was; `nil` while all is well.
    private(set) var failure: FileError?
    private var failedAt: ContinuousClock.Instant?
    private var retryAt: ContinuousClock.Instant?

    init(pause: Duration = .seconds(5)) { self.pause = pause }

    /// Why not to try now; `nil`: go ahead. Only one caller a pause is let through.
    mutating func refusal(now: ContinuousClock.Instant) -> FileError? {
        guard let failure, let retryAt else { return nil }
        guard now >= retryAt else { return failure }
        self.retryAt = now + pause
        return nil
    }

    /// Whether a probe is due.
    func isProbeDue(now: ContinuousClock.Instant) -> Bool {
        retryAt.map { now >= $0 } ?? false
    }

    /// Notes a failure. `true` when that is news.
    mutating func failed(_ error: FileError, now: ContinuousClock.Instant) -> Bool {
        defer { (failure, failedAt, retryAt) = (error, now, now + pause) }
        return failure?.code != error.code
    }

    /// Notes a success. `true` when that is news. One that comes right after a failure proves
    /// nothing: of two files one may be readable and one not.
    mutating func succeeded(now: ContinuousClock.Instant) -> Bool {
        guard let failedAt, now >= failedAt + pause / 5 else { return false }
        (failure, self.failedAt, retryAt) = (nil, nil, nil)
        return true
    }
}
