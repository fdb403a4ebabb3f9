import PosterBase

/// What the operator is told of the disk: a count of every failure, a line in the log for every
/// change of state, and the reason why the service is less than whole.
final class DiskReport: Sendable {
    private struct State {
        var reading: DiskHealth
        var writing: DiskHealth
        var badEntries = BadEntryRate()
        /// Places of which it was told that they alone cannot be used.
        var toldOf: Set<String> = []
    }

    private let state: Monitor<State>
    /// How long a disk that failed is left alone.
    let pause: Duration
    private let log: Log
    private let metrics: CacheMetrics
    /// A cache full of planted objects must not fill the log.
    private static let mostPlacesToldOf = 100

    init(log: Log, metrics: CacheMetrics, pause: Duration) {
        state = Monitor(
            State(reading: DiskHealth(pause: pause), writing: DiskHealth(pause: pause)))
        self.pause = pause
        self.log = log
        self.metrics = metrics
    }

    /// Why no write is to be tried now; `nil`: go ahead.
    func writeRefusal() -> FileError? {
        state.withLock { $0.writing.refusal(now: .now) }
    }

    /// What the last write failed with; `nil` while all is well.
    var writeFailure: FileError? { state.withLock { $0.writing.failure } }

    /// Whether writing failed, and nothing was tried since for a while.
    var isProbeDue: Bool { state.withLock { $0.writing.isProbeDue(now: .now) } }

    /// Whether reading failed, and is to be tried now. Only one caller a pause is told so.
    func isReadingToBeTried() -> Bool {
        state.withLock { $0.reading.isProbeDue(now: .now) && $0.reading.refusal(now: .now) == nil }
    }

    /// Notes that the disk takes no files. Gives the error back, to be thrown.
    func writeFailed(_ error: FileError) -> FileError {
        metrics.diskErrors.add(error)
        if state.withLock({ $0.writing.failed(error, now: .now) }) {
            log(.warn, "cache_write_failing", ["error": "\(error)"])
        }
        return error
    }

    /// Notes that it does.
    func writeSucceeded() {
        if state.withLock({ $0.writing.succeeded(now: .now) }) {
            log(.info, "cache_write_restored")
        }
    }

    /// Notes that the disk gives no files.
    func readFailed(_ error: FileError) {
        // Rights may be missing for one file and are no state of the disk.
        if error.isPermission {
            keyFailed(error)
            return
        }
        metrics.diskErrors.add(error)
        if state.withLock({ $0.reading.failed(error, now: .now) }) {
            log(.warn, "cache_read_failing", ["error": "\(error)"])
        }
    }

    /// Notes that it does.
    func readSucceeded() {
        let isNews = state.withLock { $0.reading.succeeded(now: .now) }
        if isNews { log(.info, "cache_read_restored") }
    }

    /// Notes an entry that is none. One is mended and not worth a line; many are told of once.
    func bad(_ reason: EntryFault) {
        metrics.badEntries.add(reason)
        if state.withLock({ $0.badEntries.note(now: .now) }) {
            log(
                .warn, "cache_entries_bad",
                ["reason": reason.rawValue, "found": "\(BadEntryRate.threshold)"])
        }
    }

    /// Notes that one place cannot be used, and tells of it once.
    @discardableResult
    func keyFailed(_ error: FileError) -> FileError {
        metrics.diskErrors.add(error)
        let isNews = state.withLock { state in
            state.toldOf.count < Self.mostPlacesToldOf && state.toldOf.insert(error.path).inserted
        }
        if isNews { log(.warn, "cache_place_unusable", ["error": "\(error)"]) }
        return error
    }

    /// The reason for a readiness probe; `nil` when all is well.
    var healthIssue: HealthIssue? {
        let (writing, reading) = state.withLock { ($0.writing.failure, $0.reading.failure) }
        if let writing {
            return HealthIssue(writing.isFull ? .diskFull : .cacheNotWritable, writing.description)
        }
        return reading.map { HealthIssue(.cacheNotReadable, $0.description) }
    }
}
