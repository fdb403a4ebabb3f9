import Amodb
import PosterCache
import PosterFetch
import PosterKit

/// Counts what a prefetch's requests came to.
struct PrefetchLedger {
    /// What is known of a path while some of its pictures are open.
    private struct Account {
        var open: Int
        var hasPosterFailed = false
        /// Dropped when the poster failed: one cause, one row.
        var thumbnailFailures: [PrefetchFailure] = []
    }

    /// The counts so far.
    var report = PrefetchReport()
    /// Pictures that are settled, well or not.
    private(set) var done = 0

    private let plan: PrefetchPlan
    private var accounts: [PosterPath: Account] = [:]
    /// Whether upstream has said anything of any poster.
    private(set) var hasHeardUpstream = false
    /// Posters whose tint came along.
    private var tinted: Set<PosterPath> = []
    /// Pictures in a row that were not stored.
    private var unstored = 0

    /// So many in a row are taken for the state of the disk.
    private static let unstoredLimit = 16

    init(_ plan: PrefetchPlan) { self.plan = plan }

    /// Counts the answer to a request. Returns what can be asked for now that it is there.
    mutating func settle(_ request: PosterRequest, _ reply: PrefetchSource.Reply) -> [PosterRequest]
    {
        guard let path = request.path else { return [] }
        let answer = reply.answer
        if let tint = reply.tint, tinted.insert(path).inserted { report.tints.append((path, tint)) }
        var account = accounts[path] ?? Account(open: plan.count)
        account.open -= 1
        done += 1
        let failure = count(request, answer, path, bytes: reply.bytes)
        var next: [PosterRequest] = []
        switch request.rendition {
        case .poster(let size):
            if let failure { report.failures.append(failure) }
            let followers = plan.requests(after: size, of: path)
            if case .fresh = answer.state {
                next = followers
            } else {
                account.hasPosterFailed = true
                account.open -= followers.count
                done += followers.count
            }
        case .thumbnail:
            if let failure { account.thumbnailFailures.append(failure) }
        }
        accounts[path] = account
        if account.open == 0 {
            if !account.hasPosterFailed { report.failures += account.thumbnailFailures }
            accounts[path] = nil
        }
        return next
    }

    /// Adds to the counts, and returns the row of a failure.
    private mutating func count(
        _ request: PosterRequest, _ answer: Answer, _ path: PosterPath, bytes: Int
    ) -> PrefetchFailure? {
        func row(_ reason: String, _ detail: String) -> PrefetchFailure {
            PrefetchFailure(
                path.description, rendition: request.key?.rendition ?? "", reason, detail)
        }
        if let error = answer.state.error {
            return row(error.reason.rawValue, error.detail)
        }
        switch answer.state {
        case .fresh(let source, _):
            guard answer.isStored else {
                unstored += 1
                if unstored >= Self.unstoredLimit, report.cause == nil { report.cause = .notStored }
                return row("not_stored", "the cache took no file")
            }
            unstored = 0
            if ![.memory, .disk, .store, .made].contains(source) { hasHeardUpstream = true }
            count(source, request.rendition, bytes: bytes)
        case .absent(.missing):
            hasHeardUpstream = true
            if case .poster = request.rendition { report.notFound += 1 }
        case .absent, .staleIfError, .derived: break
        }
        return nil
    }

    private mutating func count(
        _ source: Answer.Source, _ rendition: PosterRequest.Rendition, bytes: Int
    ) {
        switch (rendition, source) {
        case (.poster, .fetched), (.poster, .refetched):
            report.fetched += 1
            // Through a front, the bytes are what an answer's head claims.
            let (sum, isTooMuch) = report.bytes.addingReportingOverflow(bytes)
            report.bytes = isTooMuch ? .max : sum
        case (.poster, .revalidated): report.revalidated += 1
        case (.poster, _): report.fresh += 1
        case (.thumbnail, .memory), (.thumbnail, .disk), (.thumbnail, .revalidated):
            report.thumbnailsFresh += 1
        case (.thumbnail, _): report.thumbnails += 1
        }
    }
}
