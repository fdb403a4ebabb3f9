import Amodb
import PosterBase
import PosterImages
import PosterLists

/// One request's view: which list or film, in which choice, and how it becomes an answer.
struct PageView: Sendable {
    private enum Subject: Equatable, Sendable {
        case list
        case film(id: Int)
    }

    /// What was chosen.
    let choice: PageChoice
    /// What the API is asked for.
    let list: ListRequest
    private let subject: Subject
    private let keepsLanguage: Bool

    /// Reads a request; `nil` when its path leads nowhere.
    init?(_ request: PageRequest) {
        var choice = PageChoice(request)
        let list: ListRequest
        do {
            if request.path == "/" {
                subject = .list
                list = try ListRequest(list: choice.list, language: choice.language.tag)
            } else {
                guard let (kind, id) = Self.film(at: request.path) else { return nil }
                choice.kind = kind
                subject = .film(id: id)
                list = try ListRequest(
                    path: "/\(kind.rawValue)/\(id)",
                    query: "language=\(choice.language.tag)&append_to_response=credits,ratings")
            }
        } catch { return nil }
        self.list = list
        self.choice = choice
        let kept = "\(PageChoice.cookieName)=\(choice.language.tag)"
        keepsLanguage = choice.namesLanguage && request.cookie?.contains(kept) != true
    }

    private static func film(at path: String) -> (PageChoice.Kind, Int)? {
        for kind in PageChoice.Kind.allCases where path.hasPrefix(kind.path) {
            let digits = path.dropFirst(kind.path.count)
            // Numbers are written in one way only: no sign, no leading zeros.
            guard let id = Int(digits), id > 0, String(id) == digits else { return nil }
            return (kind, id)
        }
        return nil
    }

    /// Without the parameters that say how to answer.
    private var address: String {
        switch subject {
        case .list: choice.address
        case .film(let id): choice.address(ofFilm: id, choice.kind)
        }
    }

    private func address(with parameter: String) -> String {
        address + (address.contains("?") ? "&" : "?") + parameter
    }

    /// What stands there until the list comes.
    var loading: PagePart {
        .loading(title: subject == .list ? ListPart.title(of: choice) : "Film")
    }

    /// Renders what the API answered.
    func part(
        _ result: Result<ListAnswer, ListError>, now: Timestamp,
        tint: @escaping @Sendable (PosterPath) -> Tint?
    ) -> PagePart {
        let context = PartContext(
            choice: choice, again: address(with: "fresh=1"), now: now, tint: tint)
        return subject == .list
            ? ListPart.part(result, context) : FilmPart.part(result, context)
    }

    /// The answer when the list is there: the part alone, or the page; after a request for a fresh
    /// list a redirect, so that loading the page again is no such request.
    func answer(_ part: PagePart) -> PageAnswer {
        if choice.isPart {
            let choices: HTML = subject == .list ? PageBar.choices(choice) : ""
            return .html("\(choices)\(part.html)", status: 200, isKept: false)
        }
        if choice.wantsFresh, part.state != .error { return .redirect(to: address) }
        return page(part)
    }

    /// The whole page around a part.
    func page(_ part: PagePart) -> PageAnswer {
        let refresh: HTML =
            part.state == .loading
            ? """
            <noscript><meta http-equiv="refresh" content="0; url=\(address(with: "wait=1"))"></noscript>

            """ : ""
        let bar =
            subject == .list
            ? PageBar.list(choice, again: address(with: "fresh=1")) : PageBar.film(choice)
        return .html(
            PageAssets.page(part, bar: bar, refresh: refresh), status: part.status,
            isKept: part.state == .full,
            retryAfterSeconds: part.retryAfterSeconds,
            language: keepsLanguage ? choice.language : nil)
    }
}
