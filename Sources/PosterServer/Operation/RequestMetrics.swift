import PosterBase
import Synchronization

/// What the server counts of its own: requests by route and status, bytes, refusals.
final class RequestMetrics: Sendable {
    /// The routes, as metrics and the access log name them.
    enum RouteName: Int, CaseIterable, Sendable, CustomStringConvertible {
        /// No route, or a request that never got to have one.
        case none
        case poster, thumbnail, placeholder, relay, page, healthz, readyz, metrics

        var description: String {
            switch self {
            case .poster: "poster"
            case .thumbnail: "thumbnail"
            case .placeholder: "placeholder"
            case .relay: "relay"
            case .page: "page"
            case .healthz: "healthz"
            case .readyz: "readyz"
            case .metrics: "metrics"
            case .none: "none"
            }
        }
    }

    /// What took too long.
    enum Overdue: String, CaseIterable, Sendable {
        case head, answer
    }

    /// The statuses that are answered with, for a closed set of labels.
    static let statuses = [
        200, 204, 206, 304, 400, 401, 404, 405, 412, 413, 414, 416, 417, 429, 431, 500, 502, 503,
        504, 505,
    ]

    /// Connections that took too long.
    let overdue = Counter<Overdue>()
    /// Requests and connections that were refused.
    let rejects = Counter<RejectReason>()
    private nonisolated(unsafe) let cells: UnsafeMutablePointer<Atomic<Int>>
    private let bytes = Atomic<Int>(0)

    init() {
        cells = .allocate(capacity: Self.cellCount)
        for index in 0..<Self.cellCount { (cells + index).initialize(to: Atomic(0)) }
    }

    deinit {
        cells.deinitialize(count: Self.cellCount)
        cells.deallocate()
    }

    /// Counts an answer of `length` bytes.
    func count(_ route: RouteName, status: Int, length: Int) {
        cells[Self.index(route, status)].wrappingAdd(1, ordering: .relaxed)
        bytes.wrappingAdd(length, ordering: .relaxed)
    }

    /// How many answers of a status a route has given. A status out of the list counts as 0.
    func requests(_ route: RouteName, status: Int) -> Int {
        cells[Self.index(route, status)].load(ordering: .relaxed)
    }

    /// Bytes of bodies that were answered with.
    var bytesOut: Int { bytes.load(ordering: .relaxed) }

    private static let cellCount = RouteName.allCases.count * (statuses.count + 1)

    private static func index(_ route: RouteName, _ status: Int) -> Int {
        route.rawValue * (statuses.count + 1) + (statuses.firstIndex(of: status) ?? statuses.count)
    }
}
