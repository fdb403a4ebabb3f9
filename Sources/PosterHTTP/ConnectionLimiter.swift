import PosterBase
import Synchronization

/// How many connections there may be, of all serving threads together.
final class ConnectionLimiter: Sendable {
    private let open = Atomic<Int>(0)
    private let limit: Int
    /// The most of one client; `nil`: any number.
    private let clientLimit: Int?
    /// Counted only where there is a limit.
    private let perClient = Monitor<[ClientAddress: Int]>([:])

    init(limit: Int, perClient clientLimit: Int?) {
        self.limit = limit
        self.clientLimit = clientLimit
    }

    /// Whether one more may be accepted; ``release()`` gives its place back.
    func reserve() -> Bool {
        let count = open.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
        if count > limit { open.wrappingSubtract(1, ordering: .sequentiallyConsistent) }
        return count <= limit
    }

    /// Gives a place back.
    func release() { open.wrappingSubtract(1, ordering: .sequentiallyConsistent) }

    /// Whether there is a place.
    var hasRoom: Bool { open.load(ordering: .sequentiallyConsistent) < limit }

    /// Whether a client may have one more connection; ``release(_:)`` gives it back.
    func reserve(_ client: ClientAddress) -> Bool {
        guard let clientLimit else { return true }
        return perClient.withLock { counts in
            guard counts[client.client, default: 0] < clientLimit else { return false }
            counts[client.client, default: 0] += 1
            return true
        }
    }

    /// One connection of a client has ended.
    func release(_ client: ClientAddress) {
        guard clientLimit != nil else { return }
        perClient.withLock { counts in
            let left = counts[client.client, default: 1] - 1
            counts[client.client] = left > 0 ? left : nil
        }
    }
}
