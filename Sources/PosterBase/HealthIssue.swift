/// One reason why the service is less than whole, as a readiness probe tells it.
public struct HealthIssue: Hashable, Sendable {
    /// The closed set of reasons.
    public enum Code: String, CaseIterable, Sendable {
        /// The cache directory takes no files.
        case cacheNotWritable = "cache_not_writable"
        /// The cache directory gives no files.
        case cacheNotReadable = "cache_not_readable"
        /// The cache's file system is full.
        case diskFull = "disk_full"
        /// The image host asked for a pause.
        case upstreamBackingOff = "upstream_backing_off"
        /// The list API refused the key or the plan ended.
        case apiKeyRefused = "api_key_refused"
        /// Pixel jobs wait in a full queue.
        case decodeQueueFull = "decode_queue_full"
        /// Fetches wait in a full queue.
        case fetchQueueFull = "fetch_queue_full"
        /// The store that the nodes share does not do what it is asked to.
        case storeFailing = "store_failing"

        /// Whether traffic had better go elsewhere. All nodes share the store, and each does
        /// without it: a node that left its place for that would only move its films to others.
        public var keepsTrafficAway: Bool { self != .storeFailing }
    }

    /// Which reason.
    public let code: Code
    /// A sentence with the numbers.
    public let message: String

    /// Puts a reason together.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
