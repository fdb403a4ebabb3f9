import Amodb
@testable import FixtureOrigin
@testable import PosterKit

/// A stand-in upstream, a cache directory and a clock of a test's own, for stores to work with.
final class StoreBench: Sendable {
    let origin: Origin
    let cache = TemporaryDirectory()
    private let stores = Monitor<[PosterStore]>([])
    private let time = Monitor(Timestamp.now())

    init() {
        do { origin = try Origin(fixtures: Fixtures.folder) } catch {
            fatalError("no stand-in upstream: \(error)")
        }
    }

    deinit {
        origin.stop()
        for store in stores.withLock({ $0 }) { store.close() }
    }

    /// A store on the cache directory, as a process of its own would have it.
    func store(_ adjust: (inout Configuration) -> Void = { _ in }) throws -> PosterStore {
        var configuration = Configuration(cacheDirectory: cache.path + "/cache")
        configuration.imageBase = try BaseURL(origin.imageBase)
        configuration.apiBase = try BaseURL(origin.apiBase)
        configuration.apiKey = Secret("fixture-key")
        configuration.requestsPerSecond = 0
        adjust(&configuration)
        let store = try PosterStore(configuration, log: .silent) { [time] in
            time.withLock { $0 }
        }
        stores.withLock { $0.append(store) }
        return store
    }

    /// Lets time go by for all stores.
    func advance(by duration: Duration) { time.withLock { $0 = $0 + duration } }

    /// How often upstream was asked for a poster at a size.
    func requests(_ path: PosterPath, _ size: PosterSize) -> Int {
        origin.requests(to: "/t/p/\(size.rawValue)\(path)")
    }

    /// A picture's width and height in pixels, as a proof by decoding finds them.
    func size(of picture: Picture) throws -> [Int] {
        var worker = ImageWorker()
        let proof = try worker.verify(picture.bytes, limits: ImageLimits())
        return [proof.width, proof.height]
    }
}
