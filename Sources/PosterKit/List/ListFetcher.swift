import Amodb

/// Asks the list API once, waits where it says so, and tells what its answer means.
struct ListFetcher: Sendable {
    /// The longest that a waiting request waits for one `Retry-After`.
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
    /// Told how each request ended that failed.
    let metrics: Metrics
    /// Waits so long. `false`: the store closes, so give up.
    let pause: @Sendable (Duration) -> Bool

    /// Asks. Blocks, for the waits too: on a list thread only.
    func fetch(
        _ request: ListRequest, key: Secret, using worker: inout TransferWorker
    ) throws(ListError) -> Outcome {
        var retry = 0
        while true {
            do throws(ListError) {
                return try ask(request, key, &worker)
            } catch {
                retry += 1
                guard case .rateLimited(let seconds) = error, retry <= Self.retries,
                    .seconds(seconds) <= Self.longestWait, pause(.seconds(seconds))
                else { throw error }
            }
        }
    }

    private func ask(
        _ request: ListRequest, _ key: Secret, _ worker: inout TransferWorker
    ) throws(ListError) -> Outcome {
        let permit: Permit
        do throws(FetchError) { permit = try governor.admit() } catch {
            guard governor.pauseCause.isAsked else { throw .unreachable(error) }
            throw .rateLimited(retryAfterSeconds: error.retryAfterSeconds ?? 1)
        }
        let url = "\(apiBase)\(request)"
        let response: FetchResponse
        do throws(FetchError) {
            response = try worker.fetch(
                FetchRequest(
                    url: url, bearer: key, accept: "application/json",
                    maxBytes: ListCache.maxBytes, maxRedirects: 0, timeout: timeout), with: permit)
        } catch {
            governor.settle(permit, .failed(error, url: url))
            metrics.fetchErrors.add(error.reason)
            throw error.reason == .tooLarge || error.reason == .encoded
                ? .invalid(error.description) : .unreachable(error)
        }
        governor.settle(permit, Self.ending(of: response, url: url))
        if response.pause(now: .now())?.isReadable == false {
            metrics.fetchNotes.add(.retryAfterBad)
        }
        do throws(ListError) { return try Self.judge(response) } catch {
            if let reason = error.answeredReason { metrics.fetchErrors.add(reason) }
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

    /// What a status means for whoever asked.
    static func judge(_ response: FetchResponse) throws(ListError) -> Outcome {
        let contentType = response.values(of: "content-type").first
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
            return .list(body: response.body, contentType: contentType)
        case .notFound, .unexpected(400...499):
            // A page of HTML that some proxy made is no answer of the API.
            let isJSON = JSONSyntax.fault(in: response.body) == nil
            return .other(
                status: response.status, body: isJSON ? response.body : [],
                contentType: isJSON ? contentType : nil)
        case .serverError, .unexpected: throw .status(response.status)
        }
    }
}
