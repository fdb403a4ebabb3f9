import Amodb
import PosterBase
import PosterFetch
import PosterHTTP
import PosterKit
import PosterLists

/// The relay of the list API: adds nothing of the client's to what goes upstream but path and
/// query, and passes status and body back.
struct Relay: Sendable {
    private let lists: ListStore
    /// Who may ask.
    let tokens: ClientTokens
    private let publicURL: BaseURL?

    /// `publicURL` is where clients reach this service; `nil`: as each request says.
    init(_ lists: ListStore, tokens: ClientTokens, publicURL: BaseURL? = nil) {
        self.lists = lists
        self.tokens = tokens
        self.publicURL = publicURL
    }

    /// Answers one request: calls `finish` exactly once, or throws 400 or 404 without having
    /// called it. `path` is what follows `/3`.
    func answer(
        path: String, _ target: RequestTarget, _ head: RequestHead,
        _ finish: @escaping @Sendable (Reply) -> Void
    ) throws(RequestRefusal) {
        let query = try RelayQuery(target.query)
        guard tokens.admit(head.authorization) || query.clientKey.map(tokens.admit) == true else {
            return finish(
                Reply(
                    RequestRefusal(401, "token_required", "the list API needs a client's token"),
                    headers: [("WWW-Authenticate", "Bearer realm=\"onesheet\"")]))
        }
        guard !RelayQuery.isPersonal(path: path) else {
            throw RequestRefusal(404, "not_found", "what belongs to one user is not relayed")
        }
        let request: ListRequest
        do { request = try ListRequest(path: path, query: query.passedOn) } catch {
            throw RequestRefusal(400, "bad_list_request", error.description)
        }
        let isShared: Bool
        let base: String?
        if request.path == ImageConfiguration.path {
            base = publicURL?.description ?? head.origin(target)
            // What the request itself says of the address is for its client alone: a cache whose key
            // is without the host would give one client's to all.
            isShared = tokens.isOpen && publicURL != nil
        } else {
            base = nil
            isShared = tokens.isOpen
        }
        let asksAgain =
            query.wantsFresh
            && lists.cached(request)?.ageSeconds ?? 0 >= ListStore.newSeconds
        lists.answer(request, mayBeOld: !asksAgain) { result in
            switch result {
            case .success(let answer):
                finish(Self.reply(answer, head, isShared: isShared, base: base))
            case .failure(let error): finish(Self.reply(error))
            }
        }
    }

    private static func reply(
        _ answer: ListAnswer, _ head: RequestHead, isShared: Bool, base: String?
    ) -> Reply {
        let scope = isShared ? "public" : "private"
        let kept: String
        switch answer.source {
        case .stale, .refreshing: kept = "\(scope), max-age=\(ImageReply.secondsOfStandIn)"
        case .cache, .upstream:
            kept = answer.status == 200 ? "\(scope), max-age=\(answer.secondsLeft)" : "no-store"
        }
        // No Age: a cache would take it off what is left.
        var headers: [(name: String, value: String)] = [
            ("Content-Type", safe(answer.contentType)), ("Cache-Control", kept),
            ("Cache-Status", CacheStatus.text(for: answer)),
            ("X-Content-Type-Options", "nosniff"),
            ("Content-Security-Policy", "default-src 'none'; sandbox"),
        ]
        if answer.status != 200, answer.body.isEmpty {
            let message = "the film API answered with status \(answer.status)"
            return Reply(
                RequestRefusal(answer.status, "upstream_refused", message),
                headers: [("Cache-Status", CacheStatus.text(for: answer))])
        }
        var body = answer.body
        if answer.status == 200, let base { body = ImageConfiguration.pointing(body, at: base) }
        let tag = "\"\(ContentHash(of: body))\""
        if answer.status == 200 { headers.append(("ETag", tag)) }
        var reply = Reply(answer.status, headers, .bytes(body))
        reply.outcome = CacheOutcome(answer.source)
        return answer.status == 200 ? reply.unlessUnchanged(head, entityTag: tag) : reply
    }

    /// The upstream's meaning, kept: what is the service's own fault is a 502, what passes with
    /// time a 503 or 504.
    static func reply(_ error: ListError) -> Reply {
        func reply(_ status: Int, _ code: String, retryAfter seconds: Int? = nil) -> Reply {
            let headers = seconds.map { [("Retry-After", String($0))] } ?? []
            return Reply(RequestRefusal(status, code, error.description), headers: headers)
        }
        switch error {
        case .keyMissing: return reply(502, "upstream_key_missing")
        case .keyRefused: return reply(502, "upstream_key_refused")
        case .planEnded: return reply(502, "upstream_plan_ended")
        case .rateLimited(let seconds):
            return reply(503, "upstream_rate_limited", retryAfter: max(1, seconds))
        case .budgetSpent(let seconds):
            return reply(503, "api_budget_spent", retryAfter: max(1, seconds))
        case .status(504): return reply(504, "upstream_timeout")
        case .status: return reply(502, "upstream_error")
        case .invalid: return reply(502, "upstream_invalid")
        case .unreachable(let cause) where cause.reason == .busy || cause.reason == .closed:
            return reply(503, "busy", retryAfter: 1)
        case .unreachable(let cause) where cause.isTimeout: return reply(504, "upstream_timeout")
        case .unreachable: return reply(502, "upstream_unreachable")
        case .cancelled: return reply(503, "busy", retryAfter: 1)
        }
    }

    /// A media type as upstream wrote it, if it holds only what one may hold.
    private static func safe(_ contentType: String) -> String {
        let isPlain =
            contentType.utf8.count <= 100 && contentType.utf8.allSatisfy { 0x20...0x7E ~= $0 }
        return isPlain && contentType.contains("/") ? contentType : "application/octet-stream"
    }
}

extension Reply {
    /// 304 instead of itself where `If-None-Match` holds its tag.
    func unlessUnchanged(_ head: RequestHead, entityTag: String) -> Reply {
        guard let list = head.ifNoneMatch, Conditional.matches(list, entityTag, strongly: false)
        else { return self }
        var reply = Reply.notModified(headers)
        reply.outcome = outcome
        return reply
    }

    /// 304 for an answer with these headers. Of what describes the representation, only what
    /// selects it and says how long it may be kept goes along (RFC 9110, section 15.4.5).
    static func notModified(_ headers: HeaderFields) -> Reply {
        Reply(304, headers.only(namesOfNotModified), .bytes([]))
    }

    private static let namesOfNotModified: Set<String> = [
        "Cache-Control", "Cache-Status", "ETag", "Set-Cookie", "Vary",
    ]
}
