import PosterKit

/// Answers made within this second, in the library's own form, for whoever asks the same again.
///
/// A hit's headers change once a second (`Age`, `max-age`), so making them for each of ten
/// thousand requests is work without a difference. What is kept is gone with the second: an
/// entry that is pruned or replaced is served no longer than the store itself would.
final class KeptReplies: Sendable {
    /// An answer that holds for every plain GET and HEAD of its target.
    final class Kept: Sendable {
        let response: QueuedResponse
        let route: RequestMetrics.RouteName
        let status: Int
        let length: Int

        init(
            _ response: consuming QueuedResponse, _ reply: Reply, _ route: RequestMetrics.RouteName
        ) {
            self.response = response
            self.route = route
            (status, length) = (reply.status, reply.length)
        }
    }

    private struct State {
        var second: Int64 = 0
        var replies: [String: Kept] = [:]
        var bytes = 0
    }

    /// More than a page shows, less than memory feels: pictures that a memory tier of no size
    /// would let go live this second longer.
    private static let mostBytes = 8 << 20

    private let state = Monitor(State())

    /// What was answered to a target within this second.
    func reply(to target: String) -> Kept? {
        let second = milliseconds() / 1000
        return state.withLock { $0.second == second ? $0.replies[target] : nil }
    }

    /// Keeps an answer for the rest of the second.
    func keep(_ kept: Kept, for target: String) {
        let second = milliseconds() / 1000
        // What is dropped is handed out, so that its memory is freed after the lock is.
        _ = state.withLock { state in
            var dropped: [String: Kept] = [:]
            if state.second != second {
                dropped = state.replies
                state = State(second: second)
            }
            guard state.bytes + kept.length <= Self.mostBytes, state.replies[target] == nil else {
                return dropped
            }
            state.replies[target] = kept
            state.bytes += kept.length
            return dropped
        }
    }
}
