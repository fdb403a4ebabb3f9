import Synchronization

/// Counts events by a closed set of labels, without a lock.
public final class Counter<Label: CaseIterable & Hashable & RawRepresentable & Sendable>: Sendable
where Label.RawValue == String, Label.AllCases: Sendable {
    private let indices: [Label: Int]
    private nonisolated(unsafe) let cells: UnsafeMutablePointer<Atomic<Int>>

    /// All counts at zero.
    public init() {
        let labels = Array(Label.allCases)
        indices = Dictionary(uniqueKeysWithValues: labels.enumerated().map { ($1, $0) })
        cells = .allocate(capacity: labels.count)
        for index in labels.indices { (cells + index).initialize(to: Atomic(0)) }
    }

    deinit {
        cells.deinitialize(count: indices.count)
        cells.deallocate()
    }

    /// Adds `amount` to a label's count.
    public func add(_ label: Label, _ amount: Int = 1) {
        guard let index = indices[label] else { return }
        cells[index].wrappingAdd(amount, ordering: .relaxed)
    }

    /// A label's count so far.
    public subscript(label: Label) -> Int {
        guard let index = indices[label] else { return 0 }
        return cells[index].load(ordering: .relaxed)
    }
}

/// What the stages count. The server prints it for Prometheus.
public final class Metrics: Sendable {
    /// Where an answer's picture came from.
    public enum CacheResult: String, CaseIterable, Sendable {
        /// The possible results.
        case hitMemory = "hit_memory"
        case hitDisk = "hit_disk"
        case miss, stale, derived
        case placeholderMissing = "placeholder_missing"
        case placeholderUnavailable = "placeholder_unavailable"
    }

    /// How a request to upstream ended well.
    public enum FetchSuccess: String, CaseIterable, Sendable {
        /// The possible outcomes.
        case fetched, revalidated, missing
    }

    /// What is worth knowing of upstream and of the waiting for it, though no request fails by it.
    public enum FetchNote: String, CaseIterable, Sendable {
        /// An answer went on past the length that it announced; what was announced counts.
        case excess
        /// A picture came when the last who waited had been given something else.
        case lateFill = "late_fill"
        /// A `Retry-After` that could not be read.
        case retryAfterBad = "retry_after_bad"
        /// A wish that joined the job of another.
        case coalesced
    }

    /// Why an entry on disk was no good.
    public enum BadEntry: String, CaseIterable, Sendable {
        /// The possible faults.
        case empty, torn, body, seal, version, key, foreign
    }

    /// What the disk was asked to do when it failed.
    public enum DiskOperation: String, CaseIterable, Sendable {
        /// The possible operations.
        case open, read, write, sync, rename, unlink, mkdir, touch, stat, lock
    }

    /// Answers by where they came from.
    public let cacheResults = Counter<CacheResult>()
    /// Upstream requests that ended well.
    public let fetches = Counter<FetchSuccess>()
    /// Upstream requests that failed.
    public let fetchErrors = Counter<FetchError.Reason>()
    /// What is worth knowing beside that.
    public let fetchNotes = Counter<FetchNote>()
    /// Pictures that were refused.
    public let decodeRejects = Counter<ImageError.Reason>()
    /// Entries that did not pass.
    public let badEntries = Counter<BadEntry>()
    /// Disk operations that failed.
    public let diskErrors = Counter<DiskOperation>()

    /// All counts at zero.
    public init() {}
}
