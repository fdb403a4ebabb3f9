import Amodb
import PosterBase
import PosterCache
import PosterFetch

/// How upstream is asked for a list: once however many want it, on a list thread.
extension ListStore {
    /// What one flight asks upstream.
    struct Question {
        let request: ListRequest
        let key: Secret
        /// A kept list from after this will do; `nil`: any that is fresh.
        let newerThan: Timestamp?
        let claim: RequestBudget.Claim
        /// How long it waits for room in the budget.
        let patience: Duration
    }

    /// Ends the flight of a question that the caller has begun.
    func ask(_ question: Question, _ priority: Priority) {
        if let pause = pauseToBeTold {
            flights.complete(question.request, instead(of: pause, question.request))
            return
        }
        let isQueued = pool.submit(JobClass(priority)) { worker in
            self.flights.complete(question.request, self.result(of: question, &worker))
        }
        if !isQueued {
            let busy = FetchError(.busy, "too many lists are asked for already")
            flights.complete(question.request, instead(of: .unreachable(busy), question.request))
        }
    }

    /// The pause that the API asks for, where every thread is taken: they wait for its end, and
    /// a question after them would wait for theirs, too.
    private var pauseToBeTold: ListError? {
        let load = pool.load
        guard load.running + load.waiting >= Self.threads, let left = fetcher.governor.pauseLeft,
            fetcher.governor.pauseCause.isAsked
        else { return nil }
        return .rateLimited(retryAfterSeconds: left.wholeSeconds)
    }

    /// On a list thread; blocks.
    private func result(
        of question: Question, _ worker: inout TransferWorker
    ) -> Result<ListAnswer, ListError> {
        let request = question.request
        // Another job may have ended between the look at the cache and the start of this one.
        if let kept = cache.read(request.description),
            question.newerThan.map({ kept.fetched > $0 }) ?? true, let fresh = fresh(kept)
        {
            return .success(fresh)
        }
        do throws(ListError) {
            let outcome = try fetcher.fetch(
                request, key: question.key, question.claim, patience: question.patience,
                using: &worker)
            refusals.withLock { $0.forget(request) }
            switch outcome {
            case .list(let body, let contentType):
                let kept = ListCache.Kept(
                    body: body, contentType: contentType, fetched: clock.now())
                missing.forget(request)
                keep(request, kept)
                noteNames(request, kept)
                return .success(answer(kept, .upstream, secondsLeft: maxAge))
            case .other(let status, let body, let contentType):
                let answer = ListAnswer(
                    status: status, contentType: Self.json(contentType), body: body,
                    source: .upstream, ageSeconds: 0, secondsLeft: 0)
                if missing.remember(request, answer, now: clock.instant()) {
                    cache.remove(request.description)
                }
                return .success(answer)
            }
        } catch {
            note(error, request)
            return instead(of: error, request)
        }
    }

    private func note(_ error: ListError, _ request: ListRequest) {
        let wasRefused = refusals.withLock { refusals in
            let before = refusals.refusal(now: clock.instant())
            refusals.remember(request, error, now: clock.instant())
            return before != nil
        }
        if !wasRefused, error == .keyRefused || error == .planEnded {
            log(.error, "list_api_refused", ["reason": error.description])
        }
    }

    /// Asks upstream in the background, unless it is asked for this list already, or would not be.
    func refresh(_ request: ListRequest, lastUse: Timestamp) {
        guard let key = key.withLock({ $0 }),
            refusals.withLock({ $0.recall(request, now: clock.instant()) }) == nil,
            flights.join(request, { _, _ in }).isFirst
        else { return }
        ask(
            Question(
                request: request, key: key, newerThan: nil,
                claim: claim(request, lastUse: lastUse, for: .relay), patience: .zero),
            .background)
    }

    /// A list that was asked for within the last hour may use the whole budget. So may the page's
    /// own lists, which would otherwise never come in while clients ask for ever other lists.
    func claim(
        _ request: ListRequest, lastUse: Timestamp?, for purpose: Purpose
    ) -> RequestBudget.Claim {
        if Self.isPageList(request) { return .listInUse }
        if let lastUse, lastUse > clock.now() - Self.usedFor { return .listInUse }
        return purpose == .prefetch ? .prefetch : .otherList
    }

    func noteUse(of request: ListRequest, _ lastUse: Timestamp) {
        cache.noteUse(of: request.description, lastUse: lastUse, now: clock.now())
    }
}
