import Amodb
import PosterFetch

/// What the list API refused or failed lately, so that it is not asked again for every client.
struct ListRefusals: Sendable {
    /// How long the API is not asked after it refused the key.
    static let keyPause = Duration.seconds(300)
    /// How long it is not asked after it said that the plan has ended.
    static let planPause = Duration.seconds(3600)
    /// The most requests whose failures are remembered.
    static let capacity = 1024

    private struct Failure {
        let error: ListError
        let until: ContinuousClock.Instant
        let streak: Int
    }

    private var refusal: Failure?
    private var failures: [ListRequest: Failure] = [:]

    /// The refusal of the key or the plan that holds for every request at a moment.
    func refusal(now: ContinuousClock.Instant) -> ListError? {
        guard let refusal, now < refusal.until else { return nil }
        return refusal.error
    }

    /// Why a request is not to be sent at a moment; `nil`: send it.
    func recall(_ request: ListRequest, now: ContinuousClock.Instant) -> ListError? {
        if let error = refusal(now: now) { return error }
        guard let failure = failures[request], now < failure.until else { return nil }
        return failure.error
    }

    /// Remembers how a request failed: a refusal for all requests; a failure for this one, 15 s
    /// and doubling up to ten minutes with each in a row. A rate limit is the governor's.
    mutating func remember(
        _ request: ListRequest, _ error: ListError, now: ContinuousClock.Instant
    ) {
        switch error {
        case .keyRefused:
            refusal = Failure(error: error, until: now + Self.keyPause, streak: 0)
        case .planEnded:
            refusal = Failure(error: error, until: now + Self.planPause, streak: 0)
        case .status, .invalid, .unreachable:
            let streak = (failures[request]?.streak ?? 0) + 1
            if failures.count >= Self.capacity {
                failures = failures.filter { now < $0.value.until }
                if failures.count >= Self.capacity { failures = [:] }
            }
            failures[request] = Failure(
                error: error, until: now + FailureLifetime.passing.duration(streak: streak),
                streak: streak)
        case .keyMissing, .rateLimited, .budgetSpent, .cancelled: break
        }
    }

    /// Another key is in use.
    mutating func forgetRefusal() { refusal = nil }

    /// A request was answered, so the key is good and the API there.
    mutating func forget(_ request: ListRequest) {
        refusal = nil
        failures[request] = nil
    }
}
