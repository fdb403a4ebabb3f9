package import PosterBase

/// Asks upstream for posters, with the manners of interface and host: retries, back-off, and a
/// judgement of every status.
package struct PosterFetcher: Sendable {
    /// What asking for one poster came to.
    package enum Result<Proven> {
        /// 200, with a body that `prove` accepted.
        case fetched(Proven, Validators)
        /// 304 to a conditional request: what the asker has is as good as new.
        case notModified
        /// 404 or 410: there is no such poster.
        case missing(status: Int)
        /// Not asked for: another process has fetched it meanwhile.
        case cached
    }

    /// How many redirects are followed.
    static let maxRedirects = 3

    /// The most bytes of a poster.
    private let maxBytes: Int
    /// The longest that all attempts together may take, and the wait for another process's.
    private let timeout: Duration
    private let retries: RetryPolicy
    private let metrics: FetchMetrics

    /// `maxBytes` of a poster, `timeout` for all attempts together. `metrics` counts each request by
    /// how it ended.
    package init(
        maxBytes: Int, timeout: Duration, metrics: FetchMetrics,
        retries: RetryPolicy = RetryPolicy()
    ) {
        (self.maxBytes, self.timeout) = (maxBytes, timeout)
        (self.metrics, self.retries) = (metrics, retries)
    }

    /// Asks for one poster; conditionally when there are `validators`. `prove` turns a body into
    /// what the asker keeps, or throws: a truncated picture is worth another try, as a broken
    /// connection is. Blocks, on a transfer thread.
    ///
    /// Without a validator in `validators` the request is a plain one, and a 304 an error. While
    /// another process has the `claim`, this one waits; `isCached` is asked when it is had.
    package func fetch<Proven>(
        _ url: String, _ validators: Validators?, _ priority: Priority,
        _ governor: HostGovernor, _ worker: inout TransferWorker, claim: KeyClaim? = nil,
        isCached: () -> Bool = { false }, prove: ([UInt8]) throws(FetchError) -> Proven
    ) throws(FetchError) -> Result<Proven> {
        let end = ContinuousClock.now + timeout
        var request = FetchRequest(
            url: url, validators: validators ?? Validators(), bearer: nil,
            accept: "image/jpeg, image/png", maxBytes: maxBytes,
            maxRedirects: Self.maxRedirects, timeout: timeout)
        governor.noteFirstAttempt()
        guard var permit = try admit(priority, governor, claim, isCached, until: end) else {
            return .cached
        }
        var retry = 0
        while true {
            let failure: FetchError
            do throws(FetchError) {
                if let result = try ask(request, permit, governor, &worker, prove) { return result }
                // There is another version, which a request without conditions brings.
                request.validators = Validators()
                permit = try governor.admit(priority)
                request.timeout = ContinuousClock.now.duration(to: end)
                continue
            } catch { failure = error }
            retry += 1
            guard failure.isWorthRetrying, failure.retryAfterSeconds == nil,
                retry <= retries.count, governor.grantsRetry(),
                retries.wait(before: retry, until: end)
            else { throw failure }
            // Where the host may not be asked by now, what it failed with says more than that.
            do throws(FetchError) { permit = try governor.admit(priority) } catch { throw failure }
            request.timeout = ContinuousClock.now.duration(to: end)
        }
    }

    /// Waits for leave to send the first request, and for the claim. `nil`: there is nothing to ask
    /// for any more.
    ///
    /// The claim comes last, so that a visitor never waits for a claim whose owner waits for its turn
    /// behind visitors.
    private func admit(
        _ priority: Priority, _ governor: HostGovernor, _ claim: KeyClaim?, _ isCached: () -> Bool,
        until end: ContinuousClock.Instant
    ) throws(FetchError) -> Permit? {
        let permit = try governor.admit(priority)
        guard let claim else { return permit }
        let isFirst = claim.take()
        guard !isFirst || isCached() else { return permit }
        governor.settle(permit, .unused)
        if isFirst { return nil }
        claim.wait(until: end, stop: retries.stop)
        return isCached() ? nil : try governor.admit(priority)
    }

    /// Sends one request. `nil`: a 304 that is about another version than the asker has.
    private func ask<Proven>(
        _ request: FetchRequest, _ permit: Permit, _ governor: HostGovernor,
        _ worker: inout TransferWorker, _ prove: ([UInt8]) throws(FetchError) -> Proven
    ) throws(FetchError) -> Result<Proven>? {
        let response: FetchResponse
        do throws(FetchError) {
            response = try worker.fetch(request, with: permit)
            if response.pause(now: .now())?.isReadable == false {
                metrics.notes.add(.retryAfterBad)
            }
            try Self.judge(response, wasConditional: request.validators != Validators())
            governor.settle(permit, .answered)
        } catch {
            governor.settle(permit, .failed(error, url: request.url))
            metrics.errors.add(error.reason)
            throw error
        }
        switch response.status {
        case 200:
            return .fetched(try proven(response.body, prove), response.validators(now: .now()))
        case 304:
            guard request.validators.areConfirmed(by: response) else { return nil }
            metrics.successes.add(.revalidated)
            return .notModified
        default:
            metrics.successes.add(.missing)
            return .missing(status: response.status)
        }
    }

    private func proven<Proven>(
        _ body: [UInt8], _ prove: ([UInt8]) throws(FetchError) -> Proven
    ) throws(FetchError) -> Proven {
        do throws(FetchError) {
            let proven = try prove(body)
            metrics.successes.add(.fetched)
            return proven
        } catch {
            metrics.errors.add(error.reason)
            throw error
        }
    }

    /// Lets pass what says something of the poster: 200, 304 where it was asked for, 404, 410.
    ///
    /// Of the successes only 200 carries a poster: 203 may be altered on the way, 206 is a piece,
    /// and to libcurl they are all the same.
    static func judge(
        _ response: FetchResponse, wasConditional: Bool, now: Timestamp = .now()
    ) throws(FetchError) {
        let detail = "status \(response.status)"
        let pause = response.pause(now: now)?.seconds
        switch response.status {
        case 200, 404, 410: return
        case 304 where wasConditional: return
        case 401, 403: throw FetchError(.denied, detail)
        case 429: throw FetchError(.rateLimited, detail, retryAfterSeconds: pause)
        case 400...499: throw FetchError(.status4xx, detail)
        case 500...599: throw FetchError(.status5xx, detail, retryAfterSeconds: pause)
        default: throw FetchError(.unexpectedStatus, detail)
        }
    }
}

extension Validators {
    /// Whether a 304 is about the version that these belong to: it says nothing of a version, or
    /// names this one. One with another entity tag must not renew what the asker has (RFC 9111,
    /// section 4.3.4).
    func areConfirmed(by response: FetchResponse) -> Bool {
        let own = entityTag.map(EntityTag.init)
        return response.values(of: "etag").map(EntityTag.init).allSatisfy { other in
            guard let own else { return other.isWeak }
            return own.opaque == other.opaque
        }
    }

    /// An entity tag (RFC 9110, section 8.8.3).
    private struct EntityTag {
        let isWeak: Bool
        /// With its quotation marks, without `W/`.
        let opaque: Substring

        init(_ text: String) {
            let text = text.trimmingSpaces()
            isWeak = text.hasPrefix("W/")
            opaque = isWeak ? text.dropFirst(2) : text
        }
    }
}
