import Amodb
import PosterImages
import PosterLists

/// What a prefetch has come to.
struct PrefetchReport {
    /// Posters that upstream sent.
    var fetched = 0
    /// Posters that were in the cache and fresh.
    var fresh = 0
    /// Posters whose time was over and which upstream found unchanged.
    var revalidated = 0
    /// Films that have no poster.
    var noPoster = 0
    /// Posters that upstream does not have.
    var notFound = 0
    /// Thumbnails that were made.
    var thumbnails = 0
    /// Thumbnails that were in the cache and fresh.
    var thumbnailsFresh = 0
    /// Bytes of the posters that upstream sent.
    var bytes = 0
    /// What failed, in the order in which it did.
    var failures: [PrefetchFailure] = []
    /// Why it ended before its time; `nil` when it did not.
    var cause: EarlyEnd?
    /// The colours that stand for the posters that are cached now; worked out for programs only.
    var tints: [(path: PosterPath, tint: Tint)] = []
    /// Whether the shared store, if there is one, was given all that came.
    var isShared = true
    /// How long it took.
    var duration = Duration.zero

    /// Why a prefetch ends early.
    enum EarlyEnd: Equatable {
        /// A signal asked it to.
        case stopped(signal: Int32)
        /// The image host asks for a longer pause than it waits, or for one too many.
        case backedOff(retryAfterSeconds: Int)
        /// The image host is in trouble, for this reason.
        case unavailable(String)
        /// The cache takes no more files.
        case notStored
        /// A list could not be had.
        case list(ListError)
    }

    /// How the process ends.
    var exitCode: ExitCode {
        switch cause {
        case .stopped(let signal): .stopped(signal: signal)
        case .backedOff: .tryLater
        case .unavailable: .unavailable
        case .notStored: .ioError
        case .list(let error): error.exitCode
        case nil: failures.isEmpty ? .done : .someFailed
        }
    }

    /// Whether nothing was looked at, so that there is nothing to sum up.
    var isEmpty: Bool {
        fetched + fresh + revalidated + noPoster + notFound + failures.count == 0
    }

    /// One line for people.
    var summary: String {
        var words =
            "\(fetched) fetched, \(fresh) fresh already, \(revalidated) revalidated, "
            + "\(noPoster) no poster, \(notFound) not found, \(failures.count) failed"
        if thumbnails + thumbnailsFresh > 0 {
            words += "; \(thumbnails) thumbnails made, \(thumbnailsFresh) fresh already"
        }
        return words + "; \(byteText(bytes)) in \(timeText(duration.inSeconds))"
    }

    /// One line on why it ended early.
    var endingMessage: String? {
        switch cause {
        case .stopped: "stopped; what was done is kept, and the same command goes on from there"
        case .backedOff(let seconds):
            "the image host asks for a pause of \(seconds) s; run it again then"
        case .unavailable(let detail): "the image host is unavailable: \(detail)"
        case .notStored: "the cache takes no more files; the rest was not asked for"
        case .list(let error): error.description
        case nil: nil
        }
    }

    /// The report for programs.
    var json: JSONValue {
        .object([
            "fetched": .integer(fetched), "fresh": .integer(fresh),
            "revalidated": .integer(revalidated), "noPoster": .integer(noPoster),
            "notFound": .integer(notFound), "failed": .integer(failures.count),
            "thumbnails": .integer(thumbnails), "thumbnailsFresh": .integer(thumbnailsFresh),
            "bytes": .integer(bytes), "seconds": .decimal(duration.inSeconds, places: 3),
            "endedEarly": .text(orNull: endingMessage),
            "failures": .list(failures.map(\.json)),
            "tints": .object(tints.map { ($0.path.description, .text($0.tint.description)) }),
        ])
    }
}
