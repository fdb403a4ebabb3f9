import PosterBase
import PosterLists

/// The part of the page that changes: a list or a film in one of its states, in one element
/// whose `data-state` names it.
struct PagePart {
    /// What it shows.
    enum State: String {
        case full, stale, empty, error, loading
    }

    /// The state.
    let state: State
    /// The window's title.
    let title: String
    /// What the element holds.
    let content: HTML
    /// When the list was fetched, in seconds since 1970; `nil` where there is none.
    var fetchedSeconds: Int64?
    /// The HTTP status of a page that shows this part.
    var status = 200
    /// Seconds after which to ask again, where upstream says so.
    var retryAfterSeconds: Int?

    /// The element.
    var html: HTML {
        let at: HTML = fetchedSeconds.map { " data-at=\"\(Int($0))\"" } ?? ""
        return """
            <section id="part" aria-label="\(title)" data-state="\(state.rawValue)" \
            data-title="\(title)"\(at)\(state == .loading ? " aria-busy=\"true\"" : "" as HTML)>
            \(content)
            </section>
            """
    }

    /// Rows of grey where a list will be.
    static func loading(title: String) -> PagePart {
        let row: HTML = """
            <li class="film"><span class="poster"></span><div>\
            <span class="bone wide"></span><span class="bone short"></span></div></li>
            """
        return PagePart(
            state: .loading, title: title,
            content: """
                <p class="unseen">Loading</p>
                <ol class="films waiting" aria-hidden="true">\(HTML(Array(repeating: row, count: 12)))</ol>
                """)
    }

    /// Nothing but an error.
    static func failure(_ error: ListError, title: String, again: String) -> PagePart {
        let words = ErrorWords(error)
        return PagePart(
            state: .error, title: title,
            content: emptiness(words.what, words.advice, again: words.helpsToRetry ? again : nil),
            status: words.status, retryAfterSeconds: words.retryAfterSeconds)
    }

    /// A message in the middle, and a button to try again.
    static func emptiness(_ what: String, _ advice: String, again: String?) -> HTML {
        let button: HTML =
            again.map { "<a class=\"button again\" href=\"\($0)\">Try again</a>" } ?? ""
        return "<div class=\"empty\"><h2>\(what)</h2><p>\(advice)</p>\(button)</div>"
    }

    /// Why what is shown is old.
    static func staleNotice(_ error: ListError, again: String) -> HTML {
        """
        <div class="notice"><p>\(ErrorWords(error).what) What you see is from before.</p>\
        <a class="button again" href="\(again)">Try again</a></div>
        """
    }

    /// When it was fetched: in UTC, until the script puts it in the reader's own time.
    static func age(_ fetched: Timestamp) -> HTML {
        """
        <p class="age">Fetched <time data-seconds="\(Int(fetched.seconds))">\
        \(HTTPDate.format(fetched))</time></p>
        """
    }
}
