/// What a visitor chose to see: from the query, else from the cookie, else from the browser.
struct PageChoice: Equatable, Sendable {
    /// Films or series.
    enum Kind: String, CaseIterable, Sendable {
        case movie, tv

        /// On the page.
        var name: String { self == .movie ? "Films" : "Series" }
        /// The path of one of them.
        var path: String { self == .movie ? "/film/" : "/series/" }
    }

    /// Since when it trends.
    enum Window: String, CaseIterable, Sendable {
        case day, week

        /// On the page.
        var name: String { self == .day ? "Today" : "This week" }
    }

    /// The cookie that keeps the language.
    static let cookieName = "onesheet-language"

    var kind = Kind.movie
    var window = Window.week
    /// The language of titles.
    var language = PageLanguage.english
    /// Whether the query names the language: then links do so, too.
    var namesLanguage = false
    /// Whether upstream is to be asked, if the list is not quite new.
    var wantsFresh = false
    /// Whether the part alone is wanted, as the script swaps it in.
    var isPart = false
    /// Whether the answer may take as long as upstream takes.
    var waits = false

    /// Reads a request. Values that are none are as if they were not there.
    init(_ request: PageRequest) {
        let values = Self.values(in: request.query)
        kind = values["list"].flatMap { Kind(rawValue: $0) } ?? .movie
        window = values["window"].flatMap { Window(rawValue: $0) } ?? .week
        let named = values["language"].flatMap { PageLanguage($0) }
        namesLanguage = named != nil
        language =
            named ?? Self.kept(in: request.cookie)
            ?? .preferred(in: request.acceptLanguage) ?? .english
        wantsFresh = values["fresh"] == "1"
        isPart = values["part"] != nil
        waits = isPart || wantsFresh || values["wait"] == "1"
    }

    /// A choice of a list, in English.
    init(_ kind: Kind, _ window: Window) {
        self.kind = kind
        self.window = window
    }

    /// The list of the API.
    var list: String { "trending/\(kind.rawValue)/\(window.rawValue)" }

    /// The page of this choice.
    var address: String {
        "/?list=\(kind.rawValue)&window=\(window.rawValue)" + languageParameter("&")
    }

    /// The page of one film of the list.
    func address(ofFilm id: Int, _ kind: Kind) -> String {
        "\(kind.path)\(id)" + languageParameter("?")
    }

    /// The choice with some of it changed.
    func with(_ change: (inout PageChoice) -> Void) -> PageChoice {
        var copy = self
        change(&copy)
        return copy
    }

    /// `language=…` after a separator, if links have to say it.
    func languageParameter(_ separator: String) -> String {
        namesLanguage ? "\(separator)language=\(language.tag)" : ""
    }

    /// The first value of each name. None of the page's values needs percent-decoding.
    private static func values(in query: String) -> [String: String] {
        let pairs = query.split(separator: "&").prefix(32).compactMap { pair -> (String, String)? in
            guard let equals = pair.firstIndex(of: "=") else { return nil }
            return (String(pair[..<equals]), String(pair[pair.index(after: equals)...]))
        }
        return Dictionary(pairs) { first, _ in first }
    }

    private static func kept(in cookie: String?) -> PageLanguage? {
        for pair in (cookie ?? "").split(separator: ";").prefix(64) {
            let trimmed = pair.drop { $0 == " " }
            if trimmed.hasPrefix(cookieName + "=") {
                return PageLanguage(trimmed.dropFirst(cookieName.count + 1))
            }
        }
        return nil
    }
}
