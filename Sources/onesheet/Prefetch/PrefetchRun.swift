import Amodb
import PosterKit

/// Has every poster of a selection in the cache, and its thumbnails made.
///
/// One thread asks and counts; the store's threads work. So many wishes are open at once that
/// neither transfer nor pixel threads run dry, and no more: memory does not grow with the list.
struct PrefetchRun {
    private struct Inbox {
        var answers: [(wish: Wish, answer: Answer)] = []
        var signal: Int32?
    }

    private let store: PosterStore
    private let plan: PrefetchPlan
    private let progress: Progress
    private let isQuiet: Bool
    private let inbox = Monitor(Inbox())

    private var paths: ArraySlice<PosterPath>
    /// Wishes to make before the next path is begun.
    private var ready: [Wish] = []
    private var openPosters = 0
    private var openThumbnails = 0
    private var ledger: PrefetchLedger
    private var patience = Patience()
    private var pauseEnds: ContinuousClock.Instant?

    /// How long a prefetch that was asked to stop waits for what is under way.
    private static let grace = Duration.seconds(3)
    /// A quarter of what the store's queues take.
    private static let mostThumbnails = 256
    private static let tick = Duration.milliseconds(100)

    /// A run over the paths of `selection`, whose other findings go into the report as they are.
    init(
        _ store: PosterStore, _ plan: PrefetchPlan, _ selection: PosterSelection,
        _ progress: Progress, isQuiet: Bool
    ) {
        (self.store, self.plan, self.progress) = (store, plan, progress)
        self.isQuiet = isQuiet
        paths = selection.paths[...]
        ledger = PrefetchLedger(plan)
        ledger.report.noPoster = selection.noPoster
        ledger.report.failures = selection.failures
        progress.setTotal(selection.paths.count * plan.count)
    }

    /// Runs to the end, or until a signal or the upstream ends it early. Blocks.
    mutating func run(until interrupts: Interrupts) -> PrefetchReport {
        interrupts.onArrival { [inbox] in
            inbox.withLock { $0.signal = interrupts.signal }
            inbox.signal()
        }
        var stopBy: ContinuousClock.Instant?
        while !isOver, stopBy.map({ .now < $0 }) ?? true {
            if ledger.report.cause == nil { makeWishes() }
            let mail = inbox.wait(until: .now + Self.tick) { inbox -> Inbox? in
                guard !inbox.answers.isEmpty || inbox.signal != nil else { return nil }
                defer { inbox = Inbox() }
                return inbox
            }
            for (wish, answer) in mail?.answers ?? [] { settle(wish, answer) }
            if let signal = mail?.signal {
                ledger.report.cause = .stopped(signal: signal)
                stopBy = .now + Self.grace
                if !isQuiet, openPosters + openThumbnails > 0 {
                    progress.tellAbove("onesheet: stopping when what is under way is done")
                }
            }
            progress.update(done: ledger.done, bytes: ledger.report.bytes)
        }
        return ledger.report
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
        let configuration = store.configuration
        let mostPosters = configuration.concurrency + 2 * configuration.pixelThreads
        while openPosters < mostPosters, openThumbnails < Self.mostThumbnails {
            if ready.isEmpty, let path = paths.popFirst() { ready = plan.firstWishes(for: path) }
            guard !ready.isEmpty else { return }
            let wish = ready.removeFirst()
            count(wish, 1)
            store.answer(wish, by: nil) { [inbox] answer in
                inbox.withLock { $0.answers.append((wish, answer)) }
                inbox.signal()
            }
        }
    }

    private mutating func count(_ wish: Wish, _ change: Int) {
        if case .poster = wish.rendition { openPosters += change } else { openThumbnails += change }
    }

    private mutating func settle(_ wish: Wish, _ answer: Answer) {
        count(wish, -1)
        if let error = answer.state.error, error.asksForPause, waitOut(error) {
            return ready.append(wish)
        }
        ready += ledger.settle(wish, answer)
    }

    /// Begins the pause that a host asks for, or joins the one that has begun. `false`: it is not
    /// waited out, and ends the prefetch.
    private mutating func waitOut(_ error: FetchError) -> Bool {
        guard ledger.report.cause == nil else { return false }
        // All that were under way hear of the same pause.
        if pauseEnds != nil, (error.retryAfterSeconds ?? 0) <= Patience.longestSeconds {
            return true
        }
        guard let pause = patience.wait(forSeconds: error.retryAfterSeconds) else {
            ledger.report.cause = .backedOff(
                retryAfterSeconds: error.retryAfterSeconds ?? Patience.usualSeconds)
            return false
        }
        pauseEnds = .now + pause
        if !isQuiet {
            let seconds = pause.components.seconds
            progress.tellAbove("onesheet: the image host asks for a pause; waiting \(seconds) s")
        }
        return true
    }
}

extension Answer.State {
    /// What went wrong upstream, whatever stands in.
    var error: FetchError? {
        switch self {
        case .staleIfError(let error), .derived(let error), .absent(.unavailable(let error)): error
        case .fresh, .absent: nil
        }
    }
}

extension FetchError {
    /// Whether the host wants to be left alone for a while.
    var asksForPause: Bool {
        retryAfterSeconds != nil || reason == .rateLimited || reason == .backingOff
    }
}
