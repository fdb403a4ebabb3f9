/// One request as it came in.
struct RecordedRequest: Sendable {
    let method: String
    /// The request target with its query, undecoded.
    let target: String
    let headers: [Header]
    /// Which accepted connection it came on, from 1: two requests on one number reused it.
    let connection: Int
    /// Monotonic time since the origin started.
    let time: Duration

    /// The target without its query.
    var path: String { String(target.prefix { $0 != "?" }) }

    /// The value of the first header of that name, whatever its case.
    func header(_ name: String) -> String? { headers.first(named: name) }
}

/// What was asked, how often, and who has to wait.
final class Record: Sendable {
    private struct State {
        var log: [RecordedRequest] = []
        var counts: [String: Int] = [:]
        /// Requests that are not being answered yet, and the most of them that there were.
        var open = 0
        var mostOpen = 0
        /// By pattern. A number of its own for each hold, so that a release and a new hold at once
        /// still let the old waiters go.
        var holds: [String: Int] = [:]
        var nextHold = 0
        var waiting: [String: Int] = [:]
        var isStopped = false
    }

    /// Counting goes on behind this; only the log ends.
    private static let longestLog = 100_000
    /// The longest hold, so that a forgotten one ends, too.
    private static let longestHold = Duration.seconds(600)

    private let state = Locked(State())
    private let start = ContinuousClock.now

    var log: [RecordedRequest] { state.read { $0.log } }

    /// Requests by path.
    var counts: [String: Int] { state.read { $0.counts } }

    func add(_ request: Request, connection: Int) {
        let time = ContinuousClock.now - start
        state.change { state in
            state.counts[request.path, default: 0] += 1
            state.open += 1
            state.mostOpen = max(state.mostOpen, state.open)
            guard state.log.count < Self.longestLog else { return }
            state.log.append(
                RecordedRequest(
                    method: request.method, target: request.target, headers: request.headers,
                    connection: connection, time: time))
        }
    }

    /// The answer to a request begins.
    func noteAnswer() { state.change { $0.open -= 1 } }

    /// The most requests that waited for an answer at the same time.
    var mostOpen: Int { state.read { $0.mostOpen } }

    func hold(_ pattern: String) {
        state.change { state in
            guard state.holds[pattern] == nil else { return }
            state.holds[pattern] = state.nextHold
            state.nextHold += 1
        }
    }

    func release(_ pattern: String) {
        state.change { $0.holds[pattern] = nil }
    }

    /// Blocks while the path is held.
    func waitIfHeld(_ path: String) {
        let held = state.change { state -> (pattern: String, number: Int)? in
            guard !state.isStopped,
                let pattern = mostSpecific(of: state.holds.keys, for: path),
                let number = state.holds[pattern]
            else { return nil }
            state.waiting[path, default: 0] += 1
            return (pattern, number)
        }
        guard let held else { return }
        _ = state.wait(atMost: Self.longestHold) { state in
            state.isStopped || state.holds[held.pattern] != held.number
        }
        state.change { $0.waiting[path, default: 1] -= 1 }
    }

    /// Blocks until at least `count` requests that the pattern covers are held.
    func waitUntilHeld(_ pattern: String, count: Int, atMost limit: Duration) -> Bool {
        state.wait(atMost: limit) { total($0.waiting, for: pattern) >= count }
    }

    /// Blocks until at least `count` requests that the pattern covers have come in.
    func waitUntilRequested(_ pattern: String, count: Int, atMost limit: Duration) -> Bool {
        state.wait(atMost: limit) { total($0.counts, for: pattern) >= count }
    }

    /// Forgets every request and lets everyone go.
    func reset() {
        state.change { state in
            state.log = []
            state.counts = [:]
            state.mostOpen = state.open
            state.holds = [:]
        }
    }

    /// Lets everyone go, for good.
    func stop() {
        state.change { $0.isStopped = true }
    }
}

private func total(_ numbers: [String: Int], for pattern: String) -> Int {
    numbers.reduce(0) { $0 + (covers(pattern, $1.key) ? $1.value : 0) }
}
