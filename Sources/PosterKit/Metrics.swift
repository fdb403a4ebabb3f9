package import PosterBase
import PosterImages

/// What the stages count. The server prints it for Prometheus.
public final class Metrics: Sendable {
    /// Where an answer's picture came from.
    public enum CacheResult: String, CaseIterable, Sendable {
        /// The possible results.
        case hitMemory = "hit_memory"
        case hitDisk = "hit_disk"
        case hitStore = "hit_store"
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
        /// A request that joined the job of another.
        case coalesced
        /// A list that was not asked for, because the API's budget was used up.
        case listBudgetSpent = "list_budget_spent"
    }

    /// Why an entry on disk was no good.
    public enum BadEntry: String, CaseIterable, Sendable {
        /// The possible faults.
        case empty, torn, body, seal, version, key, foreign
    }

    /// How an exchange with upstream ended, whatever it said.
    public enum FetchEnding: String, CaseIterable, Sendable {
        /// The possible endings.
        case answered, failed
    }

    /// What an object store was asked for.
    public enum StoreOperation: String, CaseIterable, Sendable {
        /// The possible requests.
        case get, head, put, delete
    }

    /// What a look into the shared store came to.
    public enum StoreRead: String, CaseIterable, Sendable {
        /// A poster, fresh.
        case hit
        /// A poster past its age.
        case expired
        /// None.
        case miss
        /// One that did not pass: its metadata, its name, its bytes.
        case seal, key, body
        /// No answer to the question.
        case failed
        /// The store was not asked, because it failed a moment ago.
        case skipped
    }

    /// What a change of the shared store came to.
    public enum StoreWrite: String, CaseIterable, Sendable {
        /// The possible outcomes.
        case written, deleted, failed
    }

    /// Why something was not written to the shared store.
    public enum StoreDrop: String, CaseIterable, Sendable {
        /// Too much waited already.
        case queueFull = "queue_full"
        /// The store failed a moment ago.
        case paused
        /// The end came first.
        case closing
    }

    /// Answers by where they came from.
    package let cacheResults = Counter<CacheResult>()
    /// Upstream requests that ended well.
    package let fetches = Counter<FetchSuccess>()
    /// Upstream requests that failed.
    package let fetchErrors = Counter<FetchError.Reason>()
    /// How long exchanges with upstream took, redirects included: posters and lists.
    package let fetchTimes = Histogram<FetchEnding>(seconds: [
        0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15,
    ])
    /// Exchanges with upstream under way.
    package let fetchesInFlight = Tally()
    /// Bytes of bodies that came from upstream, those of refused answers too.
    package let fetchedBytes = Tally()
    /// What is worth knowing beside that.
    package let fetchNotes = Counter<FetchNote>()
    /// What the pixel threads count.
    package let images = ImageMetrics()
    /// Entries that did not pass.
    package let badEntries = Counter<BadEntry>()
    /// Disk operations that failed.
    package let diskErrors = DiskErrorCounter()

    /// Looks into the shared store.
    package let storeReads = Counter<StoreRead>()
    /// Changes of the shared store.
    package let storeWrites = Counter<StoreWrite>()
    /// Changes of the shared store that were not tried.
    package let storeDrops = Counter<StoreDrop>()
    /// Requests to the shared store that failed.
    package let storeErrors = Counter<StoreError.Kind>()
    /// How long requests to the shared store took.
    package let storeTimes = Histogram<StoreOperation>(seconds: [
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ])
    /// Requests to the shared store under way.
    package let storeInFlight = Tally()

    /// All counts at zero.
    public init() {}
}

extension Metrics.StoreRead {
    /// An object that did not pass.
    init(_ fault: ObjectMetadata.Fault) {
        self =
            switch fault {
            case .seal: .seal
            case .key: .key
            case .body: .body
            }
    }
}
