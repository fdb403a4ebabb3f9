import PosterImages
import PosterKit

/// Who answers a prefetch's requests: the store of this machine, or a front with its nodes.
struct PrefetchSource: Sendable {
    /// An answer, and what is counted of it.
    struct Reply: Sendable {
        let answer: Answer
        /// The bytes that the picture has.
        let bytes: Int
        /// The colour that stands for the poster, where it came along.
        var tint: Tint?
    }

    /// So many posters may be open at once that no thread of it runs dry.
    let mostPosters: Int
    /// Answers requests for one poster: calls `reply` once for each, from some thread.
    let answer:
        @Sendable (
            _ requests: [PosterRequest], _ reply: @escaping @Sendable (PosterRequest, Reply) -> Void
        ) -> Void

    /// Drops what has not begun: it is answered at once. Does not block.
    let drain: @Sendable () -> Void

    init(_ store: PosterStore) {
        let configuration = store.configuration
        mostPosters = configuration.concurrency + 2 * configuration.pixelThreads
        drain = { store.drain() }
        answer = { requests, reply in
            store.answer(together: requests) { request, answer in
                reply(request, Reply(answer: answer, bytes: answer.picture?.bytes.count ?? 0))
            }
        }
    }

    init(_ front: FleetClient, concurrency: Int) {
        mostPosters = 2 * concurrency
        drain = { front.drain() }
        answer = { requests, reply in
            for request in requests {
                front.answer(request) {
                    reply(request, Reply(answer: $0.answer, bytes: $0.bytes, tint: $0.tint))
                }
            }
        }
    }
}
