import Amodb
import PosterBase
import PosterCache
import PosterImages

/// Thumbnails that wait for a pixel thread, together with others of the same poster: one decode
/// makes them all.
///
/// The first of a batch has its job queued; others join until a thread takes the batch. While a
/// poster's batches are held, they grow without a job, so that a caller who knows all of its
/// requests gets one decode for them.
final class ThumbnailBatches: Sendable {
    /// What the thumbnails of a batch have in common.
    struct Key: Hashable {
        let path: PosterPath
        /// Of the poster's bytes.
        let poster: ContentHash
        /// Of the job that makes them, so that none waits for a turn of a lower class than its own.
        let pixelClass: JobClass

        /// The most thumbnails of its batch.
        var limit: Int {
            pixelClass == .large ? ThumbnailBatches.largeLimit : ThumbnailBatches.limit
        }
    }

    /// A thumbnail to make, and where its poster has come from.
    struct Order {
        let variant: ThumbnailVariant
        let poster: CacheEntry
        let source: Answer.Source
    }

    private struct State {
        var orders: [Key: [Order]] = [:]
        /// How many callers hold a poster's batches.
        var holds: [PosterPath: Int] = [:]
    }

    /// The most thumbnails of a batch, so that the last of them does not wait for long.
    static let limit = 16
    /// The most where each may take a second, so that what waits stays about as short as the queue.
    static let largeLimit = 4

    private let state = Monitor(State())

    /// Adds an order. Returns whether the caller must queue a job that takes the batch.
    func add(_ order: Order, _ key: Key) -> Bool {
        state.withLock { state in
            let waiting = state.orders[key]?.count ?? 0
            state.orders[key, default: []].append(order)
            return state.holds[key.path] == nil && waiting % key.limit == 0
        }
    }

    /// Takes a batch out; the oldest part of one that is over the limit. Empty when another job has
    /// taken it.
    func take(_ key: Key) -> [Order] {
        state.withLock { state in
            let orders = state.orders[key] ?? []
            let rest = orders.dropFirst(key.limit)
            state.orders[key] = rest.isEmpty ? nil : Array(rest)
            return Array(orders.prefix(key.limit))
        }
    }

    /// Lets batches of a poster grow until ``release(_:)``.
    func hold(_ path: PosterPath) { state.withLock { $0.holds[path, default: 0] += 1 } }

    /// Ends a hold. Returns the batches that the caller must queue a job for, each as often as it
    /// is named.
    func release(_ path: PosterPath) -> [Key] {
        state.withLock { state in
            let holds = (state.holds[path] ?? 1) - 1
            guard holds <= 0 else {
                state.holds[path] = holds
                return []
            }
            state.holds[path] = nil
            return state.orders.filter { $0.key.path == path }.flatMap { key, orders in
                [Key](repeating: key, count: (orders.count + key.limit - 1) / key.limit)
            }
        }
    }
}
