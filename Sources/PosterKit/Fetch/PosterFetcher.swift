import Amodb

/// Asks upstream for posters, with the manners of interface and host: retries, back-off, and a
/// judgement of every status.
struct PosterFetcher: Sendable {
    /// What asking for one poster came to.
    enum Result<Proven> {
        /// 200, with a body that `prove` accepted.
        case fetched(Proven, Validators)
        /// 304 to a conditional request: what the asker has is as good as new.
        case notModified
        /// 404 or 410: there is no such poster.
        case missing(status: Int)
    }

    init(_ configuration: Configuration, metrics: Metrics) { fatalError("unbuilt") }

    /// Asks for one poster; conditionally when there are `validators`. `prove` turns a body into
    /// what the asker keeps, or throws: a truncated picture is worth another try, as a broken
    /// connection is. Blocks, on a transfer thread.
    func fetch<Proven>(
        _ url: String, _ validators: Validators?, _ priority: Priority,
        _ governor: HostGovernor, _ worker: inout TransferWorker,
        prove: ([UInt8]) throws(FetchError) -> Proven
    ) throws(FetchError) -> Result<Proven> { fatalError("unbuilt") }
}
