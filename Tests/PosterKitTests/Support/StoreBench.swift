import Amodb
import Foundation
import TestSupport

@testable import FixtureOrigin
@testable import PosterBase
@testable import PosterCache
@testable import PosterFetch
@testable import PosterImages
@testable import PosterKit

/// A stand-in upstream, a cache directory and clocks of a test's own, for stores to work with.
///
/// It blocks instead of suspending: the tests' own threads are few, and none may be needed for
/// the work that another waits for.
final class StoreBench: Sendable {
    let origin: Origin
    private let folder = TemporaryDirectory()
    private let aside = TemporaryDirectory()
    private let stores = Monitor<[PosterStore]>([])
    private let passed = Monitor(Duration.zero)
    private let stepped = Monitor(Duration.zero)
    private let start = (now: Timestamp.now(), instant: ContinuousClock.now)

    init() {
        do { origin = try Origin(fixtures: Fixtures.folder) } catch {
            fatalError("no stand-in upstream: \(error)")
        }
    }

    deinit {
        origin.stop()
        for store in stores.withLock({ $0 }) { store.close() }
    }

    /// A store on the cache directory, as a process of its own would have it. Its clocks stand
    /// still but for ``advance(by:)``.
    func store(
        limits: TransferLimits = TransferLimits(), diskPause: Duration = .seconds(5),
        _ adjust: (inout Configuration) -> Void = { _ in }
    ) throws -> PosterStore {
        var configuration = Configuration(cacheDirectory: folder.path)
        configuration.imageBase = try BaseURL(origin.imageBase)
        configuration.apiBase = try BaseURL(origin.apiBase)
        configuration.apiKey = Secret("fixture-key")
        configuration.requestsPerSecond = 0
        adjust(&configuration)
        let clock = TimeSource(
            now: { [start, passed, stepped] in
                start.now + passed.withLock { $0 } + stepped.withLock { $0 }
            },
            instant: { [start, passed] in start.instant + passed.withLock { $0 } })
        let store = try PosterStore(
            configuration, log: .silent, clock: clock, limits: limits,
            retries: RetryPolicy(jitter: { 0 }), diskPause: diskPause)
        stores.withLock { $0.append(store) }
        return store
    }

    /// Lets time go by for all stores.
    func advance(by duration: Duration) { passed.withLock { $0 += duration } }

    /// Sets the wall clock, and leaves time as it is.
    func step(by duration: Duration) { stepped.withLock { $0 += duration } }

    /// The cache, as another process has it.
    func cache() throws -> DiskCache {
        try DiskCache(directory: folder.path, log: .silent, metrics: CacheMetrics())
    }

    /// Prunes, as another process does.
    func prune(olderThan age: Duration) throws {
        _ = try prune(Prune.Policy(maxAge: age))
    }

    /// Prunes, as another process does.
    func prune(_ policy: Prune.Policy) throws -> Prune.Summary {
        try Prune.run(folder.path, policy, now: now)
    }

    /// What the wall clock says.
    var now: Timestamp { start.now + passed.withLock { $0 } + stepped.withLock { $0 } }

    /// Makes an entry's file look so old.
    func age(_ key: EntryKey, days: Int64) {
        let now = start.now + passed.withLock { $0 }
        let then = (now - .seconds(days * 86_400)).systemTime
        utimensat(AT_FDCWD, "\(folder.path)/\(key)", [then, then], 0)
    }

    /// Moves the cache away, and puts an empty one in its place.
    func replaceCache() throws {
        try FileManager.default.moveItem(atPath: folder.path, toPath: aside.path + "/cache")
        _ = try cache()
    }

    /// The cache's entries, by their keys.
    var entries: [EntryKey] { folder.files().compactMap(EntryKey.init) }

    /// Removes an entry's file, as a prune would.
    func remove(_ key: EntryKey) throws {
        try FileManager.default.removeItem(atPath: "\(folder.path)/\(key)")
    }

    /// Flips a bit in the middle of an entry's file.
    func spoil(_ key: EntryKey) throws {
        let file = URL(filePath: "\(folder.path)/\(key)")
        var bytes = try Data(contentsOf: file)
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: file)
    }

    /// How often upstream was asked for a poster at a size.
    func requests(_ path: PosterPath, _ size: PosterSize) -> Int {
        origin.requests(to: "/t/p/\(size.rawValue)\(path)")
    }

    /// A picture's width and height in pixels, as a proof by decoding finds them.
    func size(of picture: Picture?) throws -> [Int] {
        guard let picture else { return [] }
        var worker = ImageWorker()
        let proof = try worker.verify(picture.bytes, limits: ImageLimits())
        return [proof.width, proof.height]
    }
}

/// An answer that is on its way.
final class PendingAnswer: Sendable {
    private let answer = Monitor<PosterKit.Answer?>(nil)

    /// Asks, and does not wait.
    init(
        _ store: PosterStore, _ request: PosterRequest, by deadline: ContinuousClock.Instant? = nil
    ) {
        store.answer(request, by: deadline) { [answer] reply in
            answer.withLock { $0 = reply }
            answer.notifyAll()
        }
    }

    /// Waits for the answer.
    func wait() -> PosterKit.Answer { answer.wait { $0 } }
}

extension PosterStore {
    /// Asks and waits.
    func ask(_ request: PosterRequest, by deadline: ContinuousClock.Instant? = nil)
        -> PosterKit.Answer
    {
        PendingAnswer(self, request, by: deadline).wait()
    }
}

extension PosterKit.Answer.State {
    /// Where a fresh picture came from; `nil` for any other state.
    var source: PosterKit.Answer.Source? {
        if case .fresh(let source, _) = self { source } else { nil }
    }
}
