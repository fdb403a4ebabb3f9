import Amodb
import PosterBase
import PosterCache

/// Which lists give placeholders their titles.
extension ListStore {
    /// Whether a list gives placeholders their titles: one that a prefetch asks for, and what the
    /// page shows in the API's own language. A visitor's language, or a client's own question, is
    /// no other client's business.
    static func namesFilms(_ request: ListRequest, _ purpose: Purpose) -> Bool {
        let language = "language=\(ListRequest.defaultLanguage)"
        switch purpose {
        case .prefetch: return true
        case .page: return request.query.split(separator: "&").contains { $0 == language }
        case .relay: return isPageList(request)
        }
    }

    /// Whether a request is for one of the few lists that the page shows in the API's own language.
    static func isPageList(_ request: ListRequest) -> Bool {
        pageLists.contains(request.path)
            && ["", "language=\(ListRequest.defaultLanguage)"].contains(request.query)
    }

    private static let pageLists = ["movie", "tv"].flatMap { kind in
        ["day", "week"].map { "/trending/\(kind)/\($0)" }
    }
    private static let mostNaming = 1024

    func nameFilms(_ request: ListRequest) {
        naming.withLock { naming in
            guard naming[request] == nil else { return }
            if naming.count >= Self.mostNaming { naming = [:] }
            naming[request] = Timestamp(nanoseconds: .min)
        }
    }

    /// Tells the processes of the cache of a list that names films, once.
    func noteNames(_ request: ListRequest, _ list: ListCache.Kept) {
        let isNew = naming.withLock { naming in
            guard let known = naming[request], known != list.fetched else { return false }
            naming[request] = list.fetched
            return true
        }
        if isNew { cache.named.add(request) }
    }
}
