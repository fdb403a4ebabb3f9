import Amodb

/// The list API's answers, kept 30 minutes on disk, one for all clients: the one door for the
/// relay, the trending page and `prefetch`.
public final class ListStore: Sendable {
    /// Opens `lists/` in the cache directory and starts the threads that ask upstream.
    public init(_ configuration: Configuration, log: Log = .standardError) throws(CacheError) {
        fatalError("unbuilt")
    }

    /// The answer to a request if it lies on disk and is under 30 minutes old; `nil` when more
    /// must be done. Blocks for the disk only.
    public func cached(_ request: ListRequest) -> ListAnswer? { fatalError("unbuilt") }

    /// Answers one GET: calls `reply` exactly once, from some thread.
    ///
    /// From disk while the answer is under 30 minutes old (`mayBeOld` false: asks upstream in
    /// any case); else from upstream, with at most two waits for `Retry-After`; else the last
    /// good one up to a day old.
    public func answer(
        _ request: ListRequest, mayBeOld: Bool = true,
        _ reply: @escaping @Sendable (Result<ListAnswer, ListError>) -> Void
    ) { fatalError("unbuilt") }

    /// As ``answer(_:mayBeOld:_:)``. Blocks.
    public func answer(
        _ request: ListRequest, mayBeOld: Bool = true
    ) throws(ListError) -> ListAnswer {
        let slot = Monitor<Result<ListAnswer, ListError>?>(nil)
        answer(request, mayBeOld: mayBeOld) { result in
            slot.withLock { $0 = result }
            slot.signal()
        }
        return try slot.wait { $0 }.get()
    }

    /// Whether the key was refused when it was last used.
    public var trouble: Trouble? { nil }

    /// Ends the threads when their jobs are done.
    public func close() {}
}
