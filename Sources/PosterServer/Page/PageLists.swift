import PosterKit

/// Where the page has its lists from: the ``ListStore``, or what a test says.
struct PageLists: Sendable {
    typealias Reply = @Sendable (Result<ListAnswer, ListError>) -> Void

    /// The answer that lies on disk and is under 30 minutes old, if any.
    let cached: @Sendable (_ request: ListRequest) -> ListAnswer?
    /// Answers one request, from disk or upstream; `mayBeOld` false asks upstream in any case.
    /// Calls the reply once, at once or from some thread.
    let answer: @Sendable (_ request: ListRequest, _ mayBeOld: Bool, @escaping Reply) -> Void
}

extension PageLists {
    /// Asks a store.
    init(_ store: ListStore) {
        cached = { store.cached($0) }
        answer = { request, mayBeOld, reply in
            store.answer(request, mayBeOld: mayBeOld, reply)
        }
    }
}
