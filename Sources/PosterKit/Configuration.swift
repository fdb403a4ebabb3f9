public import Amodb
public import PosterBase
import PosterImages

/// Every knob of a ``PosterStore``, with its unit and default.
public struct Configuration: Sendable {
    /// Where the cache lies. Made where it is missing.
    public var cacheDirectory: String
    /// Where the posters lie.
    public var imageBase: BaseURL = .amodbImages
    /// Where the list API answers.
    public var apiBase: BaseURL = .amodbAPI
    /// The list API's key; `nil`: lists cannot be asked for.
    public var apiKey: Secret?
    /// How long a poster is fresh after it was fetched or found unchanged.
    public var maxAge: Duration = .seconds(30 * 86_400)
    /// Requests to the image host at once, 1…256.
    public var concurrency = 8
    /// Requests to the image host a second; 0: no limit.
    public var requestsPerSecond = 40
    /// Bytes of pictures kept in memory; 0: none.
    public var memoryBytes = 64 << 20
    /// Threads that decode and encode; by default one a core, and two on a single core, so that
    /// large work leaves one to small work.
    public var pixelThreads: Int
    /// Jobs of the class ``JobClass/live`` that may wait for a pixel or transfer thread, and of
    /// others less; more are refused.
    public var queueLength = 1024
    /// Limits on a poster.
    public var imageLimits = ImageLimits()
    /// The longest that one fetch of a poster may take.
    public var fetchTimeout: Duration = .seconds(15)
    /// The longest that one call of the list API may take.
    public var listTimeout: Duration = .seconds(15)
    /// How long the list API may take until the first byte of its answer.
    public var listFirstByte: Duration = .seconds(10)
    /// How long a list is served before it is asked for again.
    public var listMaxAge: Duration = .seconds(30 * 60)
    /// For how long after that it is still served at once, while it is asked for again.
    public var listStaleWhileRevalidate: Duration = .seconds(30 * 60)
    /// Requests to the list API a minute, by all processes of the cache directory; 0: no limit.
    public var listRequestsPerMinute = 20
    /// Bytes of the disk that kept lists may take.
    public var listCacheBytes = 64 << 20
    /// The store that several nodes share, behind the disk; `nil`: none.
    package var sharedStore: (any SharedStoreSettings)?
    /// Private root certificates in PEM; `nil`: the system's.
    public var caFile: String?

    /// The defaults, with a cache in `cacheDirectory`.
    public init(cacheDirectory: String) {
        self.cacheDirectory = cacheDirectory
        pixelThreads = max(2, onlineCores())
    }
}
