import Amodb
import Foundation
import TestSupport

@testable import FixtureOrigin
@testable import PosterBase
@testable import PosterFetch
@testable import PosterKit
@testable import PosterObjectStore

/// A stand-in upstream, a stand-in object store, and nodes with a cache directory each.
final class FleetBench: Sendable {
    static let bucket = "films"
    static let secret = "wJalr-very-secret"

    let upstream: Origin
    let bucket: Origin
    private let folders = Monitor<[TemporaryDirectory]>([])
    private let nodes = Monitor<[PosterStore]>([])
    private let passed = Monitor(Duration.zero)
    private let start = (now: Timestamp.now(), instant: ContinuousClock.now)

    init() {
        do {
            upstream = try Origin(fixtures: Fixtures.folder)
            bucket = try Origin(bucket: Self.bucket)
        } catch { fatalError("no stand-in: \(error)") }
    }

    deinit {
        // Before the nodes, which would wait for what is held.
        upstream.stop()
        bucket.stop()
        for node in nodes.withLock({ $0 }) { node.close() }
    }

    /// A node with an empty cache. Its clocks stand still but for ``advance(by:)``.
    func node(
        log: Log = .silent, _ adjust: (inout Configuration) -> Void = { _ in }
    ) throws -> PosterStore {
        let folder = TemporaryDirectory()
        folders.withLock { $0.append(folder) }
        var configuration = Configuration(cacheDirectory: folder.path)
        configuration.imageBase = try BaseURL(upstream.imageBase)
        configuration.requestsPerSecond = 0
        configuration.objectStore = try settings()
        adjust(&configuration)
        let clock = TimeSource(
            now: { [start, passed] in start.now + passed.withLock { $0 } },
            instant: { [start, passed] in start.instant + passed.withLock { $0 } })
        let node = try PosterStore(
            configuration, log: log, clock: clock, retries: RetryPolicy(count: 0))
        nodes.withLock { $0.append(node) }
        return node
    }

    /// How to use the stand-in store. The deadlines are long: machines that run tests are slow.
    func settings() throws -> ObjectStoreSettings {
        var settings = try ObjectStoreSettings(
            try ObjectStoreLocation("s3://\(Self.bucket)/posters"),
            ObjectStoreCredentials(
                accessKey: BucketRoutes.accessKey, secretKey: Secret(Self.secret)),
            endpoint: try BaseURL(bucket.base))
        settings.deadline = .seconds(20)
        settings.drain = .milliseconds(50)
        return settings
    }

    /// Lets time go by for all nodes.
    func advance(by duration: Duration) { passed.withLock { $0 += duration } }

    /// The request path of a poster's object.
    func object(_ path: PosterPath, _ size: PosterSize) -> String {
        "/\(Self.bucket)/posters/\(size.rawValue)\(path)"
    }

    /// How often upstream was asked for a poster at a size.
    func requests(_ path: PosterPath, _ size: PosterSize) -> Int {
        upstream.requests(to: "/t/p/\(size.rawValue)\(path)")
    }

    /// Has a node fetch a poster and share it.
    func share(_ path: PosterPath, _ size: PosterSize) throws {
        let node = try node()
        _ = node.ask(PosterRequest(path, .poster(size)))
        node.finishSharing(within: .seconds(20))
    }
}

extension PosterStore {
    /// What its shared store counts; zeros where it has none.
    var storeMetrics: ObjectStoreMetrics { objectStore?.metrics ?? ObjectStoreMetrics() }
}
