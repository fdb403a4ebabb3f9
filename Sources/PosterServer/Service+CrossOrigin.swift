import PosterHTTP
import PosterImages

/// What scripts of another origin may read (Fetch standard, CORS protocol).
extension Service {
    /// Completes an answer of a route: leave for another origin's scripts, where it is given. What
    /// is for operators is never theirs.
    func finished(_ reply: Reply, _ route: RequestMetrics.RouteName) -> Reply {
        var reply = reply
        reply.route = route
        guard let origin = configuration.corsOrigin, !route.isForOperators else { return reply }
        reply.headers.add("Access-Control-Allow-Origin", origin)
        reply.headers.add(
            "Access-Control-Expose-Headers", "Cache-Status, ETag, Onesheet-Tint, Retry-After")
        reply.headers.add("Cross-Origin-Resource-Policy", "cross-origin")
        return reply
    }

    /// The answer to OPTIONS where no other origin is let in.
    var withoutPreflight: Reply {
        Reply(204, [("Allow", methods.joined(separator: ", "))], .bytes([]))
    }

    /// The answer to a browser that asks before it asks (Fetch standard, CORS-preflight fetch).
    var preflight: Reply {
        Reply(
            204,
            [
                ("Allow", methods.joined(separator: ", ")),
                ("Access-Control-Allow-Methods", "GET, HEAD"),
                ("Access-Control-Allow-Headers", "Authorization, If-None-Match, Range"),
                ("Access-Control-Max-Age", "86400"),
            ], .bytes([]))
    }
}

extension RequestMetrics.RouteName {
    /// Whether only the operator's own programs ask for it.
    var isForOperators: Bool {
        switch self {
        case .healthz, .readyz, .metrics: true
        case .none, .poster, .thumbnail, .placeholder, .relay, .page: false
        }
    }
}
