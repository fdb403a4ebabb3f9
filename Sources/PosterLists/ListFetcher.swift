import Amodb
import PosterBase
import PosterCache
import PosterFetch

/// Asks the list API once, waits where it says so, and tells what its answer means.
struct ListFetcher: Sendable {
    /// The longest that a client's request waits for one `Retry-After`.
    static let longestWait = Duration.seconds(30)
    /// How often a 429 is waited out.
    static let retries = 2

    /// What asking came to, when it came to something.
    enum Outcome: Sendable {
        /// A whole list, to be kept.
        case list(body: [UInt8], contentType: String?)
        /// Another answer that is the client's business (404 and its kin), to be passed on.
        case other(status: Int, body: [UInt8], contentType: String?)
    }

    let apiBase: BaseURL
    let timeout: Duration
    /// The API's governor: what a 429 asked for, every request obeys.
    let governor: HostGovernor
    /// How many requests there may be.
    let budget: RequestBudget
    /// Told how each request ended that failed.
    let metrics: FetchMetrics
    /// Waits so long. `false`: the store closes, so give up.
    let pause: @Sendable (Duration) -> Bool

    /// Asks, as a part of the budget that `claim` may use. Waits for room in the budget for
    /// `patience` at most. Blocks, for the waits too: on a list thread only.
    func fetch(
        _ request: ListRequest, key: Secret, _ claim: RequestBudget.Claim,
        patience: Duration = .zero, using worker: inout TransferWorker
    ) throws(ListError) -> Outcome {
        var retry = 0
        var patience = patience
        while true {
            let permit = try take(claim, &patience)
            do throws(ListError) {
                return try ask(request, key, permit, &worker)
            } catch {
                retry += 1
                guard case .rateLimited(let seconds) = error, retry <= Self.retries,
                    .seconds(seconds) <= Self.longestWait, pause(.seconds(seconds))
                else { throw error }
            }
        }
    }

    private func take(
        _ claim: RequestBudget.Claim, _ patience: inout Duration
    ) throws(ListError) -> RequestBudget.Permit {
        while true {
            do throws(RequestBudget.Spent) { return try budget.take(claim) } catch {
                let wait = Duration.seconds(error.retryAfterSeconds)
                guard wait <= patience, pause(wait) else {
                    metrics.notes.add(.listBudgetSpent)
                    throw .budgetSpent(retryAfterSeconds: error.retryAfterSeconds)
                }
                patience -= wait
            }
        }
    }

    private func ask(
        _ request: ListRequest, _ key: Secret, _ permit: RequestBudget.Permit,
        _ worker: inout TransferWorker
    ) throws(ListError) -> Outcome {
        let leave: Permit
        do throws(FetchError) { leave = try governor.admit() } catch {
            budget.release(permit)
            guard error.reason == .backingOff else { throw .unreachable(error) }
            throw .rateLimited(retryAfterSeconds: error.retryAfterSeconds ?? 1)
        }
        defer { budget.settle(permit) }
        let traces = KeyTraces(key)
        let url = "\(apiBase)\(request)"
        let response: FetchResponse
        do throws(FetchError) {
            response = try worker.fetch(
                FetchRequest(
                    url: url, bearer: key, accept: "application/json",
                    maxBytes: ListCache.maxBytes, maxRedirects: 0, timeout: timeout),
                with: leave)
        } catch {
            let error = error.withoutQuotation(traces)
            governor.settle(leave, .failed(error, url: url))
            metrics.errors.add(error.reason)
            throw error.reason == .tooLarge || error.reason == .encoded
                ? .invalid(error.description) : .unreachable(error)
        }
        governor.settle(leave, Self.ending(of: response, url: url))
        if response.pause(now: .now())?.isReadable == false {
            metrics.notes.add(.retryAfterBad)
        }
        do throws(ListError) { return try Self.judge(response, traces) } catch {
            if let reason = error.answeredReason { metrics.errors.add(reason) }
            throw error
        }
    }

    /// What an answer says of the host.
    private static func ending(
        of response: FetchResponse, url: String
    ) -> HostGovernor.Ending {
        let detail = "status \(response.status)"
        let pause = response.pause(now: .now())?.seconds
        return switch response.status {
        case 429:
            .failed(FetchError(.rateLimited, detail, retryAfterSeconds: pause), url: url)
        case 500...599:
            .failed(FetchError(.status5xx, detail, retryAfterSeconds: pause), url: url)
        default: .answered
        }
    }

    /// What a status means for the client that asked. Of the answer itself nothing is passed on
    /// but the body, and that only without the key.
    static func judge(
        _ response: FetchResponse, _ key: KeyTraces
    ) throws(ListError) -> Outcome {
        let contentType = contentType(response.values(of: "content-type").first)
        switch APIStatus(code: response.status) {
        case .rateLimited:
            throw .rateLimited(retryAfterSeconds: response.pause(now: .now())?.seconds ?? 1)
        case .keyRefused: throw .keyRefused
        case .planEnded: throw .planEnded
        case .success:
            // 206 is a piece, and 204 nothing.
            guard response.status == 200 || response.status == 203 else {
                throw .status(response.status)
            }
            if let fault = JSONSyntax.fault(in: response.body) { throw .invalid(fault) }
            if key.areIn(response.body) { throw .invalid("it holds the API's key") }
            return .list(body: response.body, contentType: contentType)
        case .notFound, .unexpected(400...499):
            // A page of HTML that some proxy made is no answer of the API.
            let isJSON =
                JSONSyntax.fault(in: response.body) == nil && !key.areIn(response.body)
            return .other(
                status: response.status, body: isJSON ? response.body : [],
                contentType: isJSON ? contentType : nil)
        case .serverError, .unexpected: throw .status(response.status)
        }
    }

    /// One of the two ways to write it: the field's other words are the API's own.
    static func contentType(_ value: String?) -> String? {
        guard let value else { return nil }
        let isUTF8 = value.lowercased().filter { $0 != " " } == "application/json;charset=utf-8"
        return isUTF8 ? "application/json; charset=utf-8" : "application/json"
    }
}
