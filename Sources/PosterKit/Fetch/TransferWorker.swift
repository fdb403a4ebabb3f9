/// One transfer thread's own libcurl handle, which keeps its connections between fetches.
struct TransferWorker: ~Copyable {
    /// `userAgent` is sent with every request; `caFile` names private root certificates in PEM.
    init(userAgent: String, caFile: String?) {}

    /// Fetches one URL. Blocks until the answer is whole, or a limit or fault ends it.
    mutating func fetch(_ request: FetchRequest) throws(FetchError) -> FetchResponse {
        fatalError("unbuilt")
    }
}
