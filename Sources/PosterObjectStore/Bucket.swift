import PosterBase
import PosterFetch

/// A bucket of an S3-compatible store, asked for single objects with signed requests.
///
/// Nothing is retried and no redirect followed: a request costs at most its own deadline. Any
/// number of threads may ask at once; each takes a connection that is open and idle, or opens one.
final class Bucket: Sendable {
    private let settings: ObjectStoreSettings
    private let credentials: Monitor<ObjectStoreCredentials>
    private let stop: StopSignal
    private let metrics: ObjectStoreMetrics
    private let maxBytes: Int
    private let idle = Monitor<[Line]>([])

    /// What is kept open at most; more are closed after use.
    private static let mostIdle = 64

    /// `maxBytes`: the most of an object that is read. `metrics` is told of every request.
    init(
        _ settings: ObjectStoreSettings, maxBytes: Int, stop: StopSignal,
        metrics: ObjectStoreMetrics
    ) {
        self.settings = settings
        credentials = Monitor(settings.credentials)
        (self.maxBytes, self.stop, self.metrics) = (maxBytes, stop, metrics)
    }

    /// Signs with others from now on.
    func replace(_ new: ObjectStoreCredentials) { credentials.withLock { $0 = new } }

    /// Sends one request about the object of a key, or about the bucket (an empty key), and gives
    /// the answer as it came. Blocks.
    func send(
        _ method: FetchRequest.Method, _ key: String, query: String = "",
        headers: [(name: String, value: String)] = [], within timeout: Duration
    ) throws(StoreError) -> FetchResponse {
        var url = "\(settings.endpoint)/\(settings.location.bucket)"
        if !key.isEmpty { url += "/\(key)" }
        if !query.isEmpty { url += "?\(query)" }
        let credentials = credentials.withLock { $0 }
        let request = FetchRequest(
            url: url, accept: "*/*", maxBytes: maxBytes, maxRedirects: 0, timeout: timeout,
            method: method,
            // Without a hash of our own; the transport and the seal guard the body.
            headers: [("x-amz-content-sha256", "UNSIGNED-PAYLOAD")] + headers,
            signature: RequestSignature(
                scheme: "aws:amz:\(settings.region):s3", accessKey: credentials.accessKey,
                secretKey: credentials.secretKey, sessionToken: credentials.sessionToken))
        let line = idle.withLock { $0.popLast() } ?? newLine()
        let began = ContinuousClock.now
        metrics.inFlight.add(1)
        defer {
            metrics.inFlight.add(-1)
            metrics.times.observe(method.name, began.duration(to: .now))
        }
        do throws(FetchError) {
            let response = try line.worker.fetch(request)
            idle.withLock { if $0.count < Self.mostIdle { $0.append(line) } }
            return response
        } catch {
            // The line goes, too: what its connection would bring next is unknown.
            if error.reason == .redirectRefused {
                throw StoreError(.elsewhere, "\(error.detail); look at the region and the endpoint")
            }
            throw StoreError(error)
        }
    }

    private func newLine() -> Line {
        var limits = TransferLimits()
        // Only the deadline of the request counts.
        (limits.firstByte, limits.stall) = (.seconds(86_400), .seconds(86_400))
        return Line(
            TransferWorker(
                userAgent: Program.userAgent, caFile: settings.caFile, stop: stop,
                metrics: Self.unread, limits: limits))
    }

    /// What a transfer counts is counted here already, under names of the store's own.
    private static let unread = FetchMetrics()

    /// One connection and what drives it, used by one thread at a time.
    private final class Line: @unchecked Sendable {
        var worker: TransferWorker

        init(_ worker: consuming TransferWorker) { self.worker = worker }
    }
}

extension FetchRequest.Method {
    /// As metrics name it.
    var name: ObjectStoreMetrics.Operation {
        switch self {
        case .get: .get
        case .head: .head
        case .put: .put
        case .delete: .delete
        }
    }
}
