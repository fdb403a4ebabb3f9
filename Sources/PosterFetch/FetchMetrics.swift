package import PosterBase

/// What requests to upstream count.
package final class FetchMetrics: Sendable {
    /// How a request ended well.
    package enum Success: String, CaseIterable, Sendable {
        /// The possible outcomes.
        case fetched, revalidated, missing
    }

    /// What is worth knowing of upstream and of the waiting for it, though no request fails by it.
    package enum Note: String, CaseIterable, Sendable {
        /// An answer went on past the length that it announced; what was announced counts.
        case excess
        /// A picture came after its last waiter had been given something else.
        case lateFill = "late_fill"
        /// A `Retry-After` that could not be read.
        case retryAfterBad = "retry_after_bad"
        /// A request that joined the job of another.
        case coalesced
        /// A list that was not asked for, because the API's budget was used up.
        case listBudgetSpent = "list_budget_spent"
    }

    /// How an exchange with upstream ended, whatever it said.
    package enum Ending: String, CaseIterable, Sendable {
        /// The possible endings.
        case answered, failed
    }

    /// Requests that ended well.
    package let successes = Counter<Success>()
    /// Requests that failed.
    package let errors = Counter<FetchError.Reason>()
    /// How long exchanges took, redirects included: posters and lists.
    package let times = Histogram<Ending>(seconds: [
        0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15,
    ])
    /// Exchanges under way.
    package let inFlight = Tally()
    /// Bytes of bodies that came, those of refused answers too.
    package let bodyBytes = Tally()
    /// What is worth knowing beside that.
    package let notes = Counter<Note>()

    /// All counts at zero.
    package init() {}
}
