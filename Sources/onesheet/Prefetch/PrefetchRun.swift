import Amodb
import PosterBase
import PosterFetch
import PosterKit

/// Has every poster of a selection in the cache, and its thumbnails made.
///
/// One thread asks and counts; the store's threads work. So many requests are open at once that
/// neither transfer nor pixel threads run dry, and no more: memory does not grow with the list.
struct PrefetchRun {
    private typealias Settled = (request: PosterRequest, reply: PrefetchSource.Reply)

    private let source: PrefetchSource
    private let plan: PrefetchPlan
    private let progress: Progress
    private let isQuiet: Bool
    /// Answers that have come and are not counted yet.
    private let inbox = Monitor<[Settled]>([])

    private var paths: ArraySlice<PosterPath>
    /// Requests to make before the next path is begun.
    private var ready: [PosterRequest] = []
    private var openPosters = 0
    private var openThumbnails = 0
    private var ledger: PrefetchLedger
    private var patience = Patience()
    private var pauseEnds: ContinuousClock.Instant?

    /// How long a prefetch that was asked to stop waits for what is under way: its process is to
    /// end within a second.
    private static let grace = Duration.milliseconds(500)
    /// A quarter of what the store's queues take.
    private static let mostThumbnails = 256
    private static let tick = Duration.milliseconds(100)

    /// A run over the paths of `selection`, whose other findings go into the report as they are.
    init(
        _ source: PrefetchSource, _ plan: PrefetchPlan, _ selection: PosterSelection,
        _ progress: Progress, isQuiet: Bool
    ) {
        (self.source, self.plan, self.progress) = (source, plan, progress)
        self.isQuiet = isQuiet
        paths = selection.paths[...]
        ledger = PrefetchLedger(plan)
        ledger.report.noPoster = selection.noPoster
        ledger.report.failures = selection.failures
        progress.setTotal(selection.paths.count * plan.count)
    }

    /// Runs to the end, or until a signal or the upstream ends it early. Blocks.
    mutating func run(until interrupts: Interrupts) -> PrefetchReport {
        interrupts.onArrival { [inbox] in inbox.notifyAll() }
        var stopBy: ContinuousClock.Instant?
        while true {
            if stopBy == nil, let signal = interrupts.signal {
                stopBy = .now + Self.grace
                stop(because: signal)
            }
            if ledger.report.cause == nil { makeWishes() }
            if isOver { break }
            if let stopBy, .now >= stopBy { break }
            let answers = inbox.wait(until: .now + Self.tick) { inbox -> [Settled]? in
                if inbox.isEmpty { return stopBy == nil && interrupts.signal != nil ? [] : nil }
                defer { inbox = [] }
                return inbox
            }
            for (request, reply) in answers ?? [] { settle(request, reply) }
            progress.update(done: ledger.done, bytes: ledger.report.bytes)
        }
        return ledger.report
    }

    private mutating func stop(because signal: Int32) {
        ledger.report.cause = .stopped(signal: signal)
        source.drain()
        if !isQuiet, openPosters + openThumbnails > 0 {
            progress.tellAbove("onesheet: stopping when what is under way is done")
        }
    }

    private var isOver: Bool {
        guard openPosters + openThumbnails == 0 else { return false }
        return ledger.report.cause != nil || (ready.isEmpty && paths.isEmpty)
    }

    private mutating func makeWishes() {
        if let end = pauseEnds {
            guard openPosters + openThumbnails == 0, .now >= end else { return }
            pauseEnds = nil
        }
        while openPosters < source.mostPosters, openThumbnails < Self.mostThumbnails {
            if ready.isEmpty, let path = paths.popFirst() { ready = plan.firstWishes(for: path) }
            guard let first = ready.first else { return }
            // A poster's requests at once, so that one decode serves them all.
            let requests = Array(ready.prefix { $0.path == first.path })
            ready.removeFirst(requests.count)
            for request in requests { count(request, 1) }
            source.answer(requests) { [inbox] request, reply in
                inbox.withLock { $0.append((request, reply)) }
                inbox.notifyAll()
            }
        }
    }

    private mutating func count(_ request: PosterRequest, _ change: Int) {
        if case .poster = request.rendition {
            openPosters += change
        } else {
            openThumbnails += change
        }
    }

    private mutating func settle(_ request: PosterRequest, _ reply: PrefetchSource.Reply) {
        count(request, -1)
        guard let error = reply.answer.state.error, error.isUnasked else {
            ready += ledger.settle(request, reply)
            return
        }
        // Not asked for yet, and so not failed: asked again after the pause, or by the next run.
        ready.append(request)
        if ledger.report.cause == nil { waitOut(error) }
    }

    /// Begins the pause that a host is to have, or joins the one that has begun; or ends the
    /// prefetch, because it is too long or one too many.
    private mutating func waitOut(_ error: FetchError) {
        let seconds = error.retryAfterSeconds ?? Patience.usualSeconds
        // All that were under way hear of the same pause.
        if pauseEnds != nil, seconds <= Patience.longestSeconds { return }
        // A host that has not answered once will hardly be there in a moment.
        let isHopeless = error.reason == .hostDown && !ledger.hasHeardUpstream
        guard !isHopeless, let pause = patience.wait(forSeconds: seconds) else {
            ledger.report.cause =
                error.reason == .hostDown
                ? .unavailable(error.detail) : .backedOff(retryAfterSeconds: seconds)
            return
        }
        pauseEnds = .now + pause
        if !isQuiet {
            progress.tellAbove(
                "onesheet: the image host needs a pause of \(seconds) s; waiting")
        }
    }
}

extension Answer.State {
    /// What went wrong upstream, whatever stands in.
    var error: FetchError? {
        switch self {
        case .staleIfError(let error), .derived(let error), .absent(.failed(let error)): error
        case .fresh, .absent: nil
        }
    }
}

extension FetchError {
    /// Whether upstream was not asked at all.
    fileprivate var isUnasked: Bool { isPause || reason == .closed }

    /// Whether the host is to be left alone for a while: it asks for it, or is in trouble.
    var isPause: Bool {
        retryAfterSeconds != nil || [.rateLimited, .backingOff, .hostDown].contains(reason)
    }
}
