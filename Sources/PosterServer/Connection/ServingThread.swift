import PosterKit

/// What one of the library's threads has for itself. Nothing here is locked, because no other
/// thread touches it: a connection stays with the thread that accepted it.
final class ServingThread: Sendable {
    /// What it answered within this second.
    nonisolated(unsafe) var kept = KeptReplies()
    private nonisolated(unsafe) var shown = (second: Int64.min, text: "")

    /// The `Date` of an answer that is made at `now`: formatted once a second.
    func date(_ now: Timestamp) -> String {
        if shown.second != now.seconds { shown = (now.seconds, HTTPDate.format(now)) }
        return shown.text
    }
}
