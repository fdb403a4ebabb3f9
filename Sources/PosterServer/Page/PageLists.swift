import Amodb
import PosterImages
import PosterKit
import PosterLists

/// Where the page has its lists from, and what it knows of posters: the stores, or what a test says.
struct PageLists: Sendable {
    typealias Reply = @Sendable (Result<ListAnswer, ListError>) -> Void

    /// The answer that is at hand, if any.
    let cached: @Sendable (_ request: ListRequest) -> ListAnswer?
    /// Answers one request, from disk or upstream; `mayBeOld` false asks upstream in any case.
    /// Calls the reply once, at once or from some thread.
    let answer: @Sendable (_ request: ListRequest, _ mayBeOld: Bool, @escaping Reply) -> Void
    /// The colour that stands for a poster until it comes, where it is known.
    let tint: @Sendable (PosterPath) -> Tint?
}

extension PageLists {
    /// Asks the stores.
    init(_ lists: ListStore, _ posters: PosterStore) {
        cached = { lists.cached($0, for: .page) }
        answer = { request, mayBeOld, reply in
            lists.answer(request, mayBeOld: mayBeOld, for: .page, reply)
        }
        tint = { posters.tint(of: $0) }
    }
}
