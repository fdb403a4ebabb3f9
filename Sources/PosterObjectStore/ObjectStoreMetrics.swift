package import PosterBase

/// What requests to the shared store count.
package final class ObjectStoreMetrics: Sendable {
    /// What an object store was asked for.
    package enum Operation: String, CaseIterable, Sendable {
        /// The possible requests.
        case get, head, put, delete
    }

    /// What a look into the shared store came to.
    package enum Read: String, CaseIterable, Sendable {
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
    package enum Write: String, CaseIterable, Sendable {
        /// The possible outcomes.
        case written, deleted, failed
    }

    /// Why something was not written to the shared store.
    package enum Drop: String, CaseIterable, Sendable {
        /// Too much waited already.
        case queueFull = "queue_full"
        /// The store failed a moment ago.
        case paused
        /// The end came first.
        case closing
    }

    /// Looks into the shared store.
    package let reads = Counter<Read>()
    /// Changes of the shared store.
    package let writes = Counter<Write>()
    /// Changes of the shared store that were not tried.
    package let drops = Counter<Drop>()
    /// Requests to the shared store that failed.
    package let errors = Counter<StoreError.Kind>()
    /// How long requests to the shared store took.
    package let times = Histogram<Operation>(seconds: [
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ])
    /// Requests to the shared store under way.
    package let inFlight = Tally()

    /// All counts at zero.
    package init() {}
}

extension ObjectStoreMetrics.Read {
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
