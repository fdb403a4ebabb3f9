package import Amodb
package import PosterBase
package import PosterFetch

/// What a ``ListStore`` is set to, with units.
package struct ListSettings: Sendable {
    /// Where the API answers.
    package var apiBase: BaseURL
    /// The API's key; `nil`: lists cannot be asked for.
    package var apiKey: Secret?
    /// Where what processes share of the API lies.
    package var cacheDirectory: String
    /// The API's own limits as a host.
    package var limits: HostLimits
    /// The longest that one call may take.
    package var timeout: Duration
    /// How long the API may take until the first byte of its answer.
    package var firstByte: Duration
    /// How long a list is served before it is asked for again.
    package var maxAge: Duration
    /// For how long after that it is still served at once, while it is asked for again.
    package var staleWhileRevalidate: Duration
    /// Requests a minute, by all processes of the cache directory; 0: no limit.
    package var requestsPerMinute: Int
    /// Requests that may wait for a thread.
    package var queueLength: Int
    /// Private root certificates in PEM; `nil`: the system's.
    package var caFile: String?

    /// All of it.
    package init(
        apiBase: BaseURL, apiKey: Secret?, cacheDirectory: String, limits: HostLimits,
        timeout: Duration, firstByte: Duration, maxAge: Duration, staleWhileRevalidate: Duration,
        requestsPerMinute: Int, queueLength: Int, caFile: String?
    ) {
        (self.apiBase, self.apiKey, self.cacheDirectory) = (apiBase, apiKey, cacheDirectory)
        (self.limits, self.timeout, self.firstByte) = (limits, timeout, firstByte)
        (self.maxAge, self.staleWhileRevalidate) = (maxAge, staleWhileRevalidate)
        (self.requestsPerMinute, self.queueLength) = (requestsPerMinute, queueLength)
        self.caFile = caFile
    }

    /// Limits on a transfer: the API has longer than the image host until its first byte.
    var transferLimits: TransferLimits {
        var limits = TransferLimits()
        limits.firstByte = firstByte
        return limits
    }
}
