public import Amodb
public import PosterBase
import PosterFetch
import PosterImages

/// A front with several nodes behind it, which is asked for pictures so that each gets to its
/// node: what a client would ask for, without the bodies. The lowest urgency (RFC 9218, section
/// 4.1) has nodes let their visitors go first.
public final class FleetClient: Sendable {
    /// What asking came to.
    public struct Reply: Sendable {
        /// As the node that answered says it, without a picture.
        public let answer: Answer
        /// The bytes that the picture has.
        public let bytes: Int
        /// The colour that stands for the poster, where the node knows one.
        public let tint: Tint?
    }

    private let base: BaseURL
    private let governor: HostGovernor
    private let workers: WorkerPool<TransferWorker>
    private let stop = StopSignal()
    /// The longest that one request may take: a node answers within some seconds.
    private static let timeout = Duration.seconds(30)
    /// A node whose time for an answer is over goes on fetching, and is asked again. Six times its
    /// 2.5 s are the longest that a fetch may take, and before that it may wait for visitors'
    /// fetches.
    private static let mostTries = 24
    private static let pauseOfBusyNode = Duration.seconds(1)

    /// `base` is what clients use, without `/t/p`. `concurrency` requests at once, `perSecond` at
    /// most (0: no limit), over all processes of the cache directory, where there is one already;
    /// `caFile` names private root certificates in PEM.
    public init(
        _ base: BaseURL, concurrency: Int, perSecond: Int, caFile: String?,
        cacheDirectory: String? = nil, log: Log = .standardError
    ) {
        self.base = base
        let hostLimits = HostLimits(
            concurrency: concurrency, perSecond: perSecond, timeout: Self.timeout,
            cacheDirectory: cacheDirectory, host: base.origin)
        governor = HostGovernor(base.origin, hostLimits, log: log)
        var limits = TransferLimits()
        limits.firstByte = Self.timeout
        workers = WorkerPool(name: "front", threads: concurrency, capacity: 1024) {
            [stop, limits] in
            TransferWorker(
                userAgent: Program.userAgent, caFile: caFile, stop: stop, limits: limits)
        }
    }

    /// Asks for what is asked for: calls `reply` once, from some thread.
    public func answer(_ request: PosterRequest, _ reply: @escaping @Sendable (Reply) -> Void) {
        guard let target = request.target else { return reply(Reply(.absent(.noPoster))) }
        let isQueued = workers.submit(.background) { worker in
            do throws(FetchError) { reply(try self.ask(target, &worker)) } catch {
                reply(Reply(.absent(.failed(error))))
            }
        }
        if !isQueued { reply(Reply(.absent(.failed(FetchError(.busy, "too many wait"))))) }
    }

    /// Sends no more requests. Those under way go on. Does not block.
    public func drain() { governor.close() }

    /// Ends the threads, within a second. Blocks.
    public func close() {
        drain()
        stop.raise()
        workers.stop()
    }

    private func ask(
        _ target: String, _ worker: inout TransferWorker
    ) throws(FetchError) -> Reply {
        let request = FetchRequest(
            url: "\(base)\(target)?fallback=error", accept: "image/jpeg, image/png",
            maxBytes: .max, maxRedirects: 0, timeout: Self.timeout, method: .head,
            headers: [("Priority", "u=7")])
        var tries = 0
        while true {
            tries += 1
            let failure: FetchError
            let permit = try governor.admit(.background)
            do throws(FetchError) {
                let reply = try Reply(try worker.fetch(request, with: permit), now: .now())
                governor.settle(permit, .answered)
                return reply
            } catch {
                // That a node's time was over says nothing of the front.
                governor.settle(
                    permit, error.reason == .deadline ? .answered : .failed(error, url: request.url)
                )
                failure = error
            }
            guard tries < Self.mostTries, failure.isWorthAnotherTry else { throw failure }
            if failure.reason == .busy, stop.wait(until: .now + Self.pauseOfBusyNode) {
                throw failure
            }
        }
    }
}

extension FetchError {
    /// Whether the node is at work on it, or had no room.
    fileprivate var isWorthAnotherTry: Bool { reason == .deadline || reason == .busy }
}

extension FleetClient.Reply {
    fileprivate init(
        _ state: Answer.State, age: Int? = nil, isStored: Bool = true, bytes: Int = 0,
        tint: Tint? = nil
    ) {
        answer = Answer(picture: nil, state: state, ageSeconds: age, isStored: isStored)
        (self.bytes, self.tint) = (bytes, tint)
    }

    /// A length that is announced and not seen. No picture has more bytes than the limit.
    private static func bytes(_ length: String?) -> Int {
        min(max(length.flatMap { Int($0) } ?? 0, 0), ImageLimits().bytes)
    }

    /// What an answer says. Throws where it is no picture, or where no node made it.
    fileprivate init(_ response: FetchResponse, now: Timestamp) throws(FetchError) {
        let detail = "the front says \(response.status)"
        guard let status = NodeStatus(response.values(of: "cache-status")) else {
            switch response.status {
            case 429: throw FetchError(.rateLimited, detail, retryAfterSeconds: 5)
            // A node without room says when to come again; a front without nodes says nothing.
            case 503 where !response.values(of: "retry-after").isEmpty:
                throw FetchError(.busy, detail)
            case 500...599: throw FetchError(.status5xx, detail)
            default: throw FetchError(.unexpectedStatus, "\(detail), and no node's Cache-Status")
            }
        }
        switch response.status {
        case 200: break
        case 404:
            self.init(.absent(.missing(status: 404)))
            return
        case 503: throw FetchError(.busy, detail)
        case 504: throw FetchError(.deadline, detail)
        case 500...599: throw FetchError(.status5xx, "\(detail): upstream fails")
        default: throw FetchError(.unexpectedStatus, detail)
        }
        self.init(
            status.state,
            age: response.values(of: "age").first.flatMap { Int($0) }.map { max(0, $0) },
            isStored: status.isStored,
            bytes: Self.bytes(response.values(of: "content-length").first),
            tint: response.values(of: "onesheet-tint").first.flatMap { Tint($0) })
    }
}

/// What a node's own member of `Cache-Status` says (RFC 9211), whatever other caches are in
/// between.
struct NodeStatus: Equatable {
    let state: Answer.State
    /// Whether it lies on the node's disk.
    let isStored: Bool

    /// `nil`: no node answered.
    init?(_ values: [String]) {
        let members = values.flatMap { $0.split(separator: ",") }.map { member in
            member.split(separator: ";").map { String($0.trimmingSpaces()) }
        }
        guard let words = members.first(where: { $0.first == "onesheet" }) else { return nil }
        func failure(_ detail: String) -> FetchError { FetchError(.status5xx, detail) }
        state =
            if words.contains("detail=stale-if-error") {
                .staleIfError(failure("upstream fails; the node has an expired one"))
            } else if words.contains("detail=derived") {
                .derived(failure("upstream fails; the node has another size"))
            } else {
                .fresh(Self.source(words), secondsLeft: 0)
            }
        isStored =
            words.contains("hit") || words.contains("stored")
            || words.contains("fwd-status=304")
    }

    private static func source(_ words: [String]) -> Answer.Source {
        if words.contains("hit") {
            if words.contains("detail=store") { return .store }
            return words.contains("detail=made") ? .made : .disk
        }
        if words.contains("fwd-status=304") { return .revalidated }
        return words.contains("fwd=stale") ? .refetched : .fetched
    }
}

extension PosterRequest {
    /// The path of a picture in URLs; `nil` where there is none, or no URL says it.
    fileprivate var target: String? {
        guard let path else { return nil }
        switch rendition {
        case .poster(let size): return "/t/p/\(size.rawValue)\(path)"
        case .thumbnail(let variant):
            guard let width = variant.width, let height = variant.height else { return nil }
            return "/thumb/\(width)x\(height)\(path)"
        }
    }
}

extension Tint {
    /// Reads `#rrggbb`.
    init?(_ text: String) {
        guard text.utf8.count == 7, text.hasPrefix("#"),
            text.dropFirst().allSatisfy(\.isHexDigit),
            let value = UInt32(text.dropFirst(), radix: 16)
        else { return nil }
        self.init(
            red: UInt8(value >> 16), green: UInt8(value >> 8 & 0xFF), blue: UInt8(value & 0xFF))
    }
}
