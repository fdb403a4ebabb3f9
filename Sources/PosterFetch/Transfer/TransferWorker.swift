import Amodb
import CCurl
package import PosterBase

/// One transfer thread's own client, which keeps its connections between fetches.
///
/// It speaks HTTP/2 where TLS agrees on it, goes through the proxies that the usual variables
/// name (`http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`), tries IPv6 and IPv4 side by side
/// (RFC 8305), and verifies certificates.
package struct TransferWorker: ~Copyable {
    private let options: CurlSession.Options
    private let limits: TransferLimits
    private let stop: StopSignal
    private let metrics: FetchMetrics
    /// Begun by the first fetch, and again where its connections cannot be used any more.
    private var session: CurlSession?

    /// `userAgent` is sent with every request; `caFile` names private root certificates in PEM;
    /// `stop` ends a transfer at once, and all after it; `metrics` is told of odd answers.
    package init(
        userAgent: String, caFile: String?, stop: StopSignal = StopSignal(),
        metrics: FetchMetrics = FetchMetrics(), limits: TransferLimits = TransferLimits(),
        clock: TimeSource = .system
    ) {
        options = CurlSession.Options(
            userAgent: userAgent, caFile: caFile, connect: limits.connect, clock: clock)
        (self.stop, self.metrics, self.limits) = (stop, metrics, limits)
        session = nil
    }

    /// Fetches one URL. Blocks until the answer is whole, or a limit or fault ends it.
    ///
    /// Redirects are followed here, step by step; a request with a key follows none, so that
    /// the key goes to no other host. An answer that is no success counts by its status: its body
    /// is empty where it did not come whole, or comes in a content coding. With a `permit`, each
    /// request that is sent takes a turn of it.
    package mutating func fetch(
        _ request: FetchRequest, with permit: Permit? = nil
    ) throws(FetchError) -> FetchResponse {
        let began = ContinuousClock.now
        var ending = FetchMetrics.Ending.failed
        metrics.inFlight.add(1)
        defer {
            metrics.inFlight.add(-1)
            metrics.times.observe(ending, began.duration(to: .now))
        }
        let response = try follow(request, permit)
        ending = .answered
        return response
    }

    private mutating func follow(
        _ request: FetchRequest, _ permit: Permit?
    ) throws(FetchError) -> FetchResponse {
        let deadline = ContinuousClock.now + request.timeout
        let mostSteps = request.bearer == nil ? request.maxRedirects : 0
        var visited = [request.url]
        while true {
            let url = visited[visited.count - 1]
            try permit?.prepare(by: deadline)
            let response = try get(url, request, permit, until: deadline)
            guard Redirect.isRedirect(response.status) else { return response }
            guard visited.count <= mostSteps else {
                throw FetchError(
                    .redirectRefused, "status \(response.status) after \(visited.count - 1) steps")
            }
            let next = try Redirect.target(of: response.values(of: "location"), from: url)
            guard !visited.contains(next) else {
                throw FetchError(.redirectRefused, "in a circle, to \(Quoted(next))")
            }
            visited.append(next)
        }
    }

    private mutating func get(
        _ url: String, _ request: FetchRequest, _ permit: Permit?,
        until deadline: ContinuousClock.Instant
    ) throws(FetchError) -> FetchResponse {
        guard !stop.isRaised else { throw FetchError(.closed, "the store is closing") }
        let left = ContinuousClock.now.duration(to: deadline)
        guard left > .zero else { throw FetchError(.totalTimeout, "\(request.timeout) are over") }
        let headers = try HeaderList(of: request)
        let transfer = Transfer(
            maxBytes: request.maxBytes, limits: limits, stop: stop, permit: permit,
            deadline: deadline)
        var session = try readySession()
        let ending = session.perform(url, headers, of: request, timeout: left, transfer)
        self.session = consume session
        permit?.noteArrival()
        metrics.bodyBytes.add(transfer.body.count)
        if ending.code == CURLE_OK, !ending.isKept, transfer.head.keepsConnection {
            // libcurl closes a connection that brought more than its answer.
            metrics.notes.add(.excess)
        }
        return try Self.judge(ending, transfer)
    }

    /// The session, without connections where those that it keeps cannot be used.
    private mutating func readySession() throws(FetchError) -> CurlSession {
        guard let kept = session.take() else { return try CurlSession(options) }
        let leftover = kept.leftover
        if leftover == .nothing { return kept }
        if leftover == .bytes { metrics.notes.add(.excess) }
        return try CurlSession(options)
    }

    private static func judge(
        _ ending: CurlSession.Ending, _ transfer: Transfer
    ) throws(FetchError) -> FetchResponse {
        let head = transfer.head
        let isWhole = ending.code == CURLE_OK && transfer.refusal == nil
        guard isWhole || (head.isComplete && !head.isSuccess) else {
            let error =
                transfer.refusal
                ?? FetchError(code: ending.code, phase: ending.phase, message: ending.message)
            // A connection that was left alone for long is closed by the other side, too.
            guard transfer.halted > .zero, error.isWorthRetrying || error.isTimeout else {
                throw error
            }
            let seconds = transfer.halted.wholeSeconds
            throw FetchError(.halted, "this process stood still for \(seconds) s")
        }
        guard head.isComplete else { throw FetchError(.emptyReply, "no head") }
        let usesBody = isWhole && head.foreignCoding == nil
        return FetchResponse(
            status: head.status, headers: head.fields, body: usesBody ? transfer.body : [])
    }
}
