import PosterKit
import PosterLists
import PosterPlaceholders

/// The `Cache-Status` header (RFC 9211) of an answer.
enum CacheStatus {
    /// Of an image.
    static func text(for answer: Answer) -> String {
        let collapsed = answer.isCollapsed ? "; collapsed" : ""
        let stored = answer.isStored ? "; stored" : ""
        switch answer.state {
        case .fresh(.memory, _), .fresh(.disk, _): return "onesheet; hit"
        case .fresh(.store, _): return "onesheet; hit; detail=store"
        case .fresh(.made, _): return "onesheet; hit; detail=made"
        case .fresh(.fetched, _): return "onesheet; fwd=miss; fwd-status=200\(stored)\(collapsed)"
        case .fresh(.refetched, _):
            return "onesheet; fwd=stale; fwd-status=200\(stored)\(collapsed)"
        case .fresh(.revalidated, _): return "onesheet; fwd=stale; fwd-status=304\(collapsed)"
        case .staleIfError: return "onesheet; fwd=stale\(collapsed); detail=stale-if-error"
        case .derived: return "onesheet; fwd=miss\(collapsed); detail=derived"
        case .absent(.noPoster): return placeholder(.missing)
        case .absent(.missing(let status)):
            return
                "onesheet; fwd=miss; fwd-status=\(status)\(collapsed); detail=placeholder-missing"
        case .absent(.failed):
            return "onesheet; fwd=miss\(collapsed); detail=placeholder-unavailable"
        }
    }

    /// Of a placeholder that no upstream was asked for.
    static func placeholder(_ kind: PlaceholderRequest.Kind) -> String {
        "onesheet; detail=placeholder-\(kind.rawValue)"
    }

    /// Of a list.
    static func text(for answer: ListAnswer) -> String {
        switch answer.source {
        case .cache: "onesheet; hit"
        case .refreshing: "onesheet; hit; detail=stale-while-revalidate"
        case .upstream: "onesheet; fwd=miss; fwd-status=\(answer.status)"
        case .stale: "onesheet; fwd=stale; detail=stale-if-error"
        }
    }
}
