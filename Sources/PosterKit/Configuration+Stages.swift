import Amodb
public import PosterBase
import PosterCache
import PosterFetch
public import PosterLists

// What each stage takes of a configuration.

extension HostLimits {
    /// The limits for the image host, over all processes of the cache directory. The list API has
    /// them, too, where it is on the same host; elsewhere it has a budget of its own.
    init(_ configuration: Configuration, host: String, clock: TimeSource, log: Log) {
        let isImageHost = host == configuration.imageBase.origin
        self.init(
            concurrency: isImageHost ? configuration.concurrency : 0,
            perSecond: isImageHost ? configuration.requestsPerSecond : 0,
            timeout: max(configuration.fetchTimeout, configuration.listTimeout),
            cacheDirectory: configuration.cacheDirectory, host: host, clock: clock
        ) { error in
            log(.warn, "upstream_limits_not_shared", ["host": host, "reason": error.description])
        }
    }
}

extension ListSettings {
    init(_ configuration: Configuration, clock: TimeSource) {
        self.init(
            apiBase: configuration.apiBase, apiKey: configuration.apiKey,
            cacheDirectory: configuration.cacheDirectory,
            limits: HostLimits(
                configuration, host: configuration.apiBase.origin, clock: clock, log: .silent),
            timeout: configuration.listTimeout, firstByte: configuration.listFirstByte,
            maxAge: configuration.listMaxAge,
            staleWhileRevalidate: configuration.listStaleWhileRevalidate,
            requestsPerMinute: configuration.listRequestsPerMinute,
            queueLength: configuration.queueLength, caFile: configuration.caFile)
    }
}

extension ListStore {
    /// Opens `lists/` in the cache directory and starts the threads that ask upstream.
    public convenience init(
        _ configuration: Configuration, log: Log = .standardError, metrics: Metrics = Metrics()
    ) throws(FileError) {
        try self.init(configuration, log: log, metrics: metrics, clock: .system, pause: nil)
    }

    /// Shares the cache directory and the metrics of a poster store: a fault of the disk is reported
    /// once, and not by each of the two. Starts the threads that ask upstream.
    public convenience init(beside posters: PosterStore, log: Log = .standardError) {
        self.init(
            ListSettings(posters.configuration, clock: .system),
            cache: ListCache(
                posters.disk.files, capacity: posters.configuration.listCacheBytes),
            log: log, metrics: posters.metrics.fetch, clock: .system, pause: nil)
    }

    /// As the public one, with a clock and a way to wait of the caller's.
    convenience init(
        _ configuration: Configuration, log: Log, metrics: Metrics, clock: TimeSource,
        pause: (@Sendable (Duration) -> Void)?
    ) throws(FileError) {
        let cache = try ListCache(
            directory: configuration.cacheDirectory, capacity: configuration.listCacheBytes,
            log: log, metrics: metrics.cache)
        self.init(
            ListSettings(configuration, clock: clock), cache: cache, log: log,
            metrics: metrics.fetch, clock: clock, pause: pause)
    }
}
