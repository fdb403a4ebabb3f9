import PosterKit

/// The page that people look at: lists of films and series, a film's own page, and their assets.
///
/// Its routes, GET and HEAD:
///
/// | route | answer |
/// | --- | --- |
/// | `/` | the page; `list=movie\|tv`, `window=day\|week`, `language=TAG` |
/// | `/?part=list` | the list alone, as the page's script swaps it in; `fresh=1` asks upstream |
/// | `/film/ID`, `/series/ID` | one film's ratings and cast |
/// | `/assets/page.css`, `/assets/page.js`, `/assets/icon.svg` | the assets |
///
/// The server hands a request to ``answer(_:_:)`` when ``owns(path:)`` says so, adds `Date` and
/// `Content-Length`, leaves the body out for HEAD, and answers 304 by `ETag`. Parameters that the
/// page does not know are left alone, because people arrive with what other sites append.
struct TrendingPage: Sendable {
    private let lists: PageLists

    /// Serves what `lists` knows.
    init(lists: PageLists) { self.lists = lists }

    /// Whether a decoded path is the page's.
    static func owns(path: String) -> Bool {
        path == "/" || ["/assets/", "/film/", "/series/"].contains { path.hasPrefix($0) }
    }

    /// Answers one request: calls `reply` exactly once, at once or from some thread.
    func answer(_ request: PageRequest, _ reply: @escaping @Sendable (PageAnswer) -> Void) {
        reply(PageAnswer(status: 404, headers: [("Cache-Control", "no-store")], body: []))
    }
}
