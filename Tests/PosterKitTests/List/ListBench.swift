import Amodb
import Testing
import TestSupport

@testable import FixtureOrigin
@testable import PosterBase
@testable import PosterKit
@testable import PosterLists

/// A list API, a cache directory and a clock of a test's own.
///
/// Its clock moves with ``advance(by:)`` and with the waits for `Retry-After`, which take no time.
final class ListBench: Sendable {
    static let path = "/3/trending/movie/week"
    static let list = Array("{\"results\":[{\"id\":1,\"title\":\"A\"}]}".utf8)

    let origin: Origin
    let folder = TemporaryDirectory()
    let lines = Monitor<[String]>([])
    let metrics = Metrics()
    private let stores = Monitor<[ListStore]>([])
    private let passed = Monitor(Duration.zero)
    private let start = (now: Timestamp.now(), instant: ContinuousClock.now)

    private let change: @Sendable (inout Configuration) -> Void

    /// `change` sets what a store's configuration has beside the folder, the API and the key.
    init(
        _ fault: Fault? = nil, times: Int? = nil,
        _ change: @escaping @Sendable (inout Configuration) -> Void = { _ in }
    ) throws {
        self.change = change
        origin = try Origin(key: Upstream.key)
        origin.put(Self.path, Self.list, headers: [("Content-Type", "application/json")])
        if let fault { origin.misbehave(at: Self.path, fault, times: times) }
    }

    deinit {
        for store in stores.withLock({ $0 }) { store.close() }
        origin.stop()
    }

    /// A store on the cache directory, as a process of its own would have it. `onWait` is called
    /// before each wait.
    func store(
        key: String? = Upstream.key, onWait: @escaping @Sendable () -> Void = {}
    ) throws -> ListStore {
        var configuration = Configuration(cacheDirectory: folder.path)
        configuration.apiBase = try BaseURL(origin.apiBase)
        configuration.apiKey = key.map { Secret($0) }
        change(&configuration)
        let clock = TimeSource(
            now: { [start, passed] in start.now + passed.withLock { $0 } },
            instant: { [start, passed] in start.instant + passed.withLock { $0 } })
        let log = Log { [lines] _, line in lines.withLock { $0.append(line) } }
        let store = try ListStore(
            configuration, log: log, metrics: metrics, clock: clock
        ) { [passed] wait in
            onWait()
            passed.withLock { $0 += wait }
        }
        stores.withLock { $0.append(store) }
        return store
    }

    /// Lets time go by.
    func advance(by duration: Duration) { passed.withLock { $0 += duration } }

    /// What the waits for `Retry-After` and ``advance(by:)`` came to.
    var elapsed: Duration { passed.withLock { $0 } }

    /// How often the API was asked for the list.
    var requests: Int { origin.requests(to: Self.path) }
}

extension ListStore {
    /// Asks for the bench's list, and waits.
    func ask(_ query: String = "", mayBeOld: Bool = true) throws -> ListAnswer {
        let request = try ListRequest(path: "/trending/movie/week", query: query)
        return try ask(request, mayBeOld: mayBeOld)
    }

    /// Asks for a list, and waits.
    func ask(
        _ request: ListRequest, mayBeOld: Bool = true, for purpose: Purpose = .relay
    ) throws(ListError) -> ListAnswer {
        let slot = Monitor<Result<ListAnswer, ListError>?>(nil)
        answer(request, mayBeOld: mayBeOld, for: purpose) { result in
            slot.withLock { $0 = result }
            slot.notifyAll()
        }
        return try slot.wait { $0 }.get()
    }
}
