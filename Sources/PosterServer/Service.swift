import Amodb
import PosterBase
import PosterHTTP
import PosterImages
import PosterKit
import PosterLists

/// What is answered to which request: from the target and head to a ``Reply``, without a socket.
///
///     target ─► route ─► parameters ─► store ─► reply
///
/// The first three are pure: what they refuse has cost nothing on disk or upstream.
final class Service: Sendable {
    let store: PosterStore
    let requestMetrics = RequestMetrics()
    /// When it was made.
    let began = Timestamp.now()
    /// The methods that are answered, for `Allow`.
    let methods: [String]
    /// The connections, as metrics show them; the server's from its start on.
    let connectionCounts = Monitor<@Sendable () -> [ConnectionPhase: Int]>({ [:] })
    /// Does what would hold up a serving thread: pages, tints that are not known yet, looks into
    /// the cache while the disk is slow.
    private let blockingPool: WorkerPool<Void>
    private let relay: Relay?
    private let page: TrendingPage?
    private let lists: ListStore?
    let configuration: ServerConfiguration
    private let qualities: Set<Int>?

    init(_ configuration: ServerConfiguration, store: PosterStore, lists: ListStore?) {
        self.configuration = configuration
        qualities = Self.qualities(configuration)
        self.store = store
        blockingPool = WorkerPool(
            name: "blockingPool", threads: Self.blockingThreads,
            capacity: store.configuration.queueLength
        ) {}
        store.prepareGenericPlaceholders()
        self.lists = lists
        methods = configuration.corsOrigin == nil ? ["GET", "HEAD"] : ["GET", "HEAD", "OPTIONS"]
        relay = lists.map {
            Relay(
                $0, tokens: ClientTokens(configuration.clientTokens),
                publicURL: configuration.publicURL)
        }
        page = lists.map { TrendingPage(lists: PageLists($0, store)) }
    }

    /// A page takes two milliseconds, and a slow disk as long as it likes.
    private static let blockingThreads = 4
    /// The largest picture whose tint is worked out for an answer.
    private static let mostTintBytes = 1 << 20

    /// How many blockingPool wait, and how many are under way.
    var blockingLoad: (waiting: Int, running: Int) { blockingPool.load }

    /// Ends the threads. Blocks. For when no more requests come.
    func stop() { blockingPool.stop() }

    /// Connections at once, for metrics.
    var connectionLimit: Int { configuration.connectionLimit }

    /// Who may use the relay from now on.
    func replaceClientTokens(_ tokens: [Secret]?) { relay?.tokens.replace(tokens) }

    /// Answers a request: calls `deliver` exactly once, at once or from some thread.
    func answer(_ head: RequestHead, _ deliver: @escaping @Sendable (Reply) -> Void) {
        let target: RequestTarget
        do throws(RequestRefusal) {
            try checkMethod(head)
            // `OPTIONS *` asks about the server as a whole (RFC 9110, section 9.3.7).
            if head.method == "OPTIONS", head.target == "*" {
                return deliver(finished(preflight, .none))
            }
            target = try RequestTarget(head.target)
        } catch { return deliver(reply(to: error)) }
        do throws(RequestRefusal) {
            let route = try Route(path: target.path)
            let finish: @Sendable (Reply) -> Void = { reply in
                deliver(self.finished(reply, route.name))
            }
            if head.method == "OPTIONS" {
                finish(route.name.isForOperators ? withoutPreflight : preflight)
            } else {
                answer(route, target, head, finish)
            }
        } catch { deliver(finished(head.method == "OPTIONS" ? preflight : Reply(error), .none)) }
    }

    /// The answer to a request that is refused whatever its target, with which the connection ends:
    /// what follows it may be a body.
    func reply(to refusal: RequestRefusal) -> Reply {
        let allow = refusal.status == 405 ? [("Allow", methods.joined(separator: ", "))] : []
        var reply = finished(Reply(refusal, headers: allow), .none)
        reply.closes = true
        return reply
    }

    /// Throws for what no target here takes: other methods, bodies, unknown expectations.
    private func checkMethod(_ head: RequestHead) throws(RequestRefusal) {
        guard methods.contains(head.method) else {
            let allowed = methods.joined(separator: ", ")
            throw RequestRefusal(405, "method_not_allowed", "only \(allowed) are served")
        }
        if head.hasBody {
            throw RequestRefusal(
                400, "bad_request", "the request has a body, which no method here has")
        }
        // A client that expects to be told to go on has no body to send, and is answered at once
        // (RFC 9110, section 10.1.1).
        if let expectation = head.expect, expectation.lowercased() != "100-continue" {
            throw RequestRefusal(417, "expectation_failed", "only 100-continue is understood")
        }
    }

    private func answer(
        _ route: Route, _ target: RequestTarget, _ head: RequestHead,
        _ finish: @escaping @Sendable (Reply) -> Void
    ) {
        let finish = isNegotiated(route, target) ? Self.varying(finish) : finish
        do throws(RequestRefusal) {
            switch route {
            case .poster(let path, let size):
                let request = try ImageParameters.request(
                    poster: path, size: size, query: target.query, accept: head.accept)
                fulfil(try allowed(request, "w, h with dpr"), head, finish)
            case .thumbnail(let path, let width, let height):
                let request = try ImageParameters.request(
                    thumbnail: path, width: width, height: height, query: target.query,
                    accept: head.accept)
                fulfil(try allowed(request, "{W}x{H} with dpr"), head, finish)
            case .placeholder(let width, let height):
                let drawing = try ImageParameters.placeholder(
                    width: width, height: height, query: target.query, accept: head.accept)
                store.placeholder(drawing, by: .now + configuration.deadline) { drawn in
                    finish(
                        drawn.map { ImageReply.make(placeholder: $0.picture, kind: $0.kind) }
                            ?? ImageReply.busy)
                }
            case .relay(let path): try relayed(path, target, head, finish)
            case .page(let path): shown(path, target, head, finish)
            case .healthz: finish(.text(200, "text/plain; charset=utf-8", "ok\n"))
            case .readyz: finish(Readiness.reply(healthIssues))
            case .metrics: finish(MetricsPage.reply(self))
            }
        } catch { finish(Reply(error)) }
    }

    private func isNegotiated(_ route: Route, _ target: RequestTarget) -> Bool {
        switch route {
        case .poster, .thumbnail, .placeholder: ImageParameters.isNegotiated(target.query)
        case .relay, .page, .healthz, .readyz, .metrics: false
        }
    }

    /// Says that the answer depends on `Accept`.
    private static func varying(
        _ finish: @escaping @Sendable (Reply) -> Void
    ) -> @Sendable (Reply) -> Void {
        { reply in
            var reply = reply
            reply.headers.add("Vary", "Accept")
            finish(reply)
        }
    }

    private func fulfil(
        _ request: PosterRequest, _ head: RequestHead, _ finish: @escaping @Sendable (Reply) -> Void
    ) {
        let request = head.isBackground ? request.inBackground : request
        let deadline = ContinuousClock.now + configuration.deadline
        let reply = { @Sendable (answer: Answer) in
            self.withTint(answer, request) { tint in
                finish(ImageReply.make(answer, to: request, head, tint: tint, now: .now()))
            }
        }
        guard store.wouldHoldUp(request) else { return store.answer(request, by: deadline, reply) }
        let look = { (look: @escaping @Sendable () -> Void) in
            self.blockingPool.submit(.live) { _ in look() }
        }
        store.answer(request, by: deadline, from: look, reply)
    }

    /// Calls `next` once with the tint of a poster that is there; a placeholder is its own. Where
    /// it takes a decode to know it, a thread that may block does it; in a crowd, it is left out.
    private func withTint(
        _ answer: Answer, _ request: PosterRequest, _ next: @escaping @Sendable (Tint?) -> Void
    ) {
        guard let path = request.path, let picture = answer.picture else { return next(nil) }
        if case .absent = answer.state { return next(nil) }
        if let tint = store.knownTint(of: path) { return next(tint) }
        // A decode of a large one takes longer than a client should wait for a colour.
        guard picture.bytes.count <= Self.mostTintBytes else { return next(nil) }
        let isQueued = blockingPool.submit(.large) { _ in
            next(self.store.tint(of: path, from: picture))
        }
        if !isQueued { next(nil) }
    }

    private func relayed(
        _ path: String, _ target: RequestTarget, _ head: RequestHead,
        _ finish: @escaping @Sendable (Reply) -> Void
    ) throws(RequestRefusal) {
        guard let relay else {
            throw RequestRefusal(404, "not_found", "no list API is configured")
        }
        try relay.answer(path: path, target, head) { [store] reply in
            finish(reply)
            store.readNewLists()
        }
    }

    private func shown(
        _ path: String, _ target: RequestTarget, _ head: RequestHead,
        _ finish: @escaping @Sendable (Reply) -> Void
    ) {
        guard let page else {
            return finish(Reply(RequestRefusal(404, "not_found", "no list API is configured")))
        }
        let request = PageRequest(
            path: path, query: target.query.map(String.init) ?? "",
            acceptLanguage: head.acceptLanguage, cookie: head.cookie)
        let show = { @Sendable [store] in
            page.answer(request) { answer in
                finish(Self.conditional(answer, head))
                store.readNewLists()
            }
        }
        // Assets are in memory.
        guard !path.hasPrefix("/assets/") else { return show() }
        if !blockingPool.submit(.live, { _ in show() }) { finish(ImageReply.busy) }
    }

    private static func conditional(_ answer: PageAnswer, _ head: RequestHead) -> Reply {
        let reply = Reply(answer.status, answer.headers, .bytes(answer.body))
        guard answer.status == 200, let tag = answer.header("ETag") else { return reply }
        return reply.unlessUnchanged(head, entityTag: tag)
    }

    /// With `--sizes-allowed`, what a stranger may make the cache hold is bounded. `names` are
    /// the parameters that made the request's box.
    private func allowed(_ request: PosterRequest, _ names: String) throws(RequestRefusal)
        -> PosterRequest
    {
        guard case .thumbnail(let variant) = request.rendition else { return request }
        if let boxes = configuration.allowedBoxes, !variant.isWholePoster,
            !boxes.contains(where: { $0.allows(variant) })
        {
            let sides = [variant.width, variant.height].map { $0.map(String.init) ?? "" }
            let box = sides.joined(separator: "x")
            throw .parameter(names, "\(box) is not among the sizes allowed here")
        }
        if let qualities, !qualities.contains(variant.quality) {
            let all = qualities.sorted().map(String.init).joined(separator: ", ")
            throw .parameter("q", "\(variant.quality) is none of those allowed here: \(all)")
        }
        return request
    }

    /// The only qualities that thumbnails may have; `nil`: any.
    private static func qualities(_ configuration: ServerConfiguration) -> Set<Int>? {
        let named = configuration.allowedQualities ?? (configuration.allowedBoxes == nil ? nil : [])
        return named?.union([ThumbnailVariant.defaultQuality])
    }

    /// Why it serves less than it should; none when all is well.
    var healthIssues: [HealthIssue] {
        store.healthIssues() + (lists?.healthIssue.map { [$0] } ?? [])
    }
}

extension ThumbnailVariant {
    /// Whether it is a poster in another format or quality, as large as it is.
    fileprivate var isWholePoster: Bool {
        source.map { width == $0.width && height == nil } ?? false
    }
}

extension Route {
    /// As metrics and the access log name it.
    var name: RequestMetrics.RouteName {
        switch self {
        case .poster: .poster
        case .thumbnail: .thumbnail
        case .placeholder: .placeholder
        case .relay: .relay
        case .page: .page
        case .healthz: .healthz
        case .readyz: .readyz
        case .metrics: .metrics
        }
    }
}

extension PosterRequest {
    /// The same, while no client waits for it.
    fileprivate var inBackground: PosterRequest {
        var request = self
        request.priority = .background
        return request
    }
}
