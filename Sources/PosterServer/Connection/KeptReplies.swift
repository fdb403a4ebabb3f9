/// Answers made within this second, in the library's own form, for whoever asks the same again.
///
/// A hit's headers change once a second (`Age`, `max-age`), so making them for each of ten
/// thousand requests is work without a difference. What is kept is gone with the second: an
/// entry that is pruned or replaced is served no longer than the store itself would.
///
/// An answer is found by the request's head, byte for byte, so that a head that comes again is
/// not even read; or by its target, for whoever asks without conditions and with another head.
struct KeptReplies {
    /// An answer that may be given again.
    final class Kept: Sendable {
        let response: QueuedResponse
        let route: RequestMetrics.RouteName
        let status: Int
        /// Bytes of the body, which HEAD measures and leaves out.
        let length: Int

        init(
            _ response: consuming QueuedResponse, _ reply: Reply, _ route: RequestMetrics.RouteName
        ) {
            self.response = response
            self.route = route
            (status, length) = (reply.status, reply.length)
        }
    }

    /// A head that was answered, and what with.
    final class Repeatable: Sendable {
        let kept: Kept
        /// As sent.
        let method: String
        fileprivate let head: RawHead.Copy
        fileprivate let second: Int64

        fileprivate init(_ head: RawHead, method: String, _ kept: Kept, _ second: Int64) {
            self.head = RawHead.Copy(head)
            self.method = method
            self.kept = kept
            self.second = second
        }

        /// Bytes that are sent after the head.
        var answeredLength: Int { method == "HEAD" ? 0 : kept.length }
    }

    /// More than a page shows, less than memory feels: pictures that a memory tier of no size
    /// would let go live this second longer.
    private static let mostBytes = 8 << 20
    /// A power of two. Two heads that fall into one place take turns.
    private static let places = 512

    private var second: Int64 = 0
    private var bytes = 0
    private var byTarget: [String: Kept] = [:]
    private var byHead = [Repeatable?](repeating: nil, count: Self.places)

    /// What was answered to a head within the second of `now`, in milliseconds.
    func reply(to head: RawHead, now: Int64) -> Repeatable? {
        guard let found = byHead[Self.place(of: head)], found.second == now / 1000,
            found.head.equals(head)
        else { return nil }
        return found
    }

    /// What was answered to a target within the second of `now`, in milliseconds.
    func reply(to target: String, now: Int64) -> Kept? {
        second == now / 1000 ? byTarget[target] : nil
    }

    /// Keeps an answer for the rest of the second, for whoever asks for a target.
    mutating func keep(_ kept: Kept, for target: String, now: Int64) {
        guard hasRoom(for: kept, now), byTarget[target] == nil else { return }
        byTarget[target] = kept
        bytes += kept.length
    }

    /// Keeps an answer for the rest of the second, for whoever sends the same head. A body that
    /// is kept for its target as well counts twice.
    mutating func keep(_ kept: Kept, for head: RawHead, method: String, now: Int64) {
        guard hasRoom(for: kept, now) else { return }
        byHead[Self.place(of: head)] = Repeatable(head, method: method, kept, second)
        bytes += kept.length
    }

    private mutating func hasRoom(for kept: Kept, _ now: Int64) -> Bool {
        if second != now / 1000 { self = KeptReplies(second: now / 1000) }
        return bytes + kept.length <= Self.mostBytes
    }

    init() {}

    private init(second: Int64) { self.second = second }

    private static func place(of head: RawHead) -> Int { Int(head.hash % UInt64(places)) }
}
