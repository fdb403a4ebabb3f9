import Amodb
import PosterCache

/// The answers of the API that say that there is no such list or film, so that it is not asked
/// for the same again by every client.
final class MissingLists: Sendable {
    /// How long they hold.
    static let lifetime = Duration.seconds(600)
    /// Bytes of them, texts and links included.
    private static let capacity = 2 << 20

    private let answers = MemoryTier<ListRequest, ListAnswer>(capacity: capacity)

    /// Keeps an answer if it is one of these: 404 and 410, and what the API says of a request that
    /// it cannot read (400, 422). Returns whether the list is gone.
    func remember(
        _ request: ListRequest, _ answer: ListAnswer, now: ContinuousClock.Instant
    ) -> Bool {
        guard [400, 404, 410, 422].contains(answer.status) else { return false }
        let bytes = answer.body.count + 2 * request.description.utf8.count
        answers.insert(request, answer, bytes: bytes, checked: now)
        return answer.status == 404 || answer.status == 410
    }

    /// The answer to a request, as one from the cache; `nil` when none holds.
    func recall(_ request: ListRequest, now: ContinuousClock.Instant) -> ListAnswer? {
        guard let (answer, since) = answers.value(for: request), now < since + Self.lifetime else {
            return nil
        }
        return ListAnswer(
            status: answer.status, contentType: answer.contentType, body: answer.body,
            source: .cache, ageSeconds: Int((now - since).components.seconds), secondsLeft: 0)
    }

    /// The list is there again.
    func forget(_ request: ListRequest) { answers.remove(request) }
}
