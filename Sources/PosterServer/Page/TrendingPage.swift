import PosterBase
import PosterLists

/// The page that people look at: lists of films and series, a film's own page, and their assets.
///
/// Its routes, GET and HEAD:
///
/// | route | answer |
/// | --- | --- |
/// | `/` | the page; `list=movie\|tv`, `window=day\|week`, `language=TAG` |
/// | `/film/ID`, `/series/ID` | one film's ratings and cast; `language=TAG` |
/// | either with `part=1` | the part of it that changes, as the script swaps it in |
/// | either with `fresh=1` | upstream is asked, unless it was within the last minute |
/// | either with `wait=1` | the answer may take as long as upstream takes |
/// | `/assets/page.css`, `/assets/page.js`, `/assets/icon.svg` | the assets |
///
/// The server hands a request to ``answer(_:now:_:)`` when ``owns(path:)`` says so, adds `Date`
/// and `Content-Length`, leaves the body out for HEAD, and answers 304 by `ETag`. Parameters that
/// the page does not know are left alone, because people arrive with what other sites append.
///
/// What lies on disk is in the first answer. What does not is waited for by the script, which
/// asks for the part, or by the browser, which loads the page again with `wait=1`: so the first
/// row of a page, or of its skeleton, never waits for upstream.
struct TrendingPage: Sendable {
    private let lists: PageLists

    /// Serves what `lists` knows.
    init(lists: PageLists) { self.lists = lists }

    /// Whether a path is the page's.
    static func owns(path: String) -> Bool {
        path == "/" || ["/assets/", "/film/", "/series/"].contains { path.hasPrefix($0) }
    }

    /// Answers one request: calls `reply` exactly once, at once or from some thread.
    func answer(
        _ request: PageRequest, now: Timestamp = .now(),
        _ reply: @escaping @Sendable (PageAnswer) -> Void
    ) {
        if let asset = PageAssets.asset(at: request.path) { return reply(.asset(asset)) }
        guard let view = PageView(request) else { return reply(.notFound(request)) }
        if view.choice.waits { return wait(for: view, now: now, reply) }
        let answer = lists.cached(view.list)
        reply(
            view.page(
                answer.map { view.part(.success($0), now: now, tint: lists.tint) } ?? view.loading))
    }

    /// Asks for a list, and once more where a fresh one is asked and this one is not.
    private func wait(
        for view: PageView, now: Timestamp, _ reply: @escaping @Sendable (PageAnswer) -> Void
    ) {
        @Sendable func finish(_ result: Result<ListAnswer, ListError>) {
            reply(view.answer(view.part(result, now: now, tint: lists.tint)))
        }
        if view.choice.wantsFresh, lists.cached(view.list)?.ageSeconds ?? 0 >= ListStore.newSeconds
        {
            lists.answer(view.list, false, finish)
        } else {
            lists.answer(view.list, true, finish)
        }
    }
}
