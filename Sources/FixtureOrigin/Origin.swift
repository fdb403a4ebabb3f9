import Glibc

/// A stand-in for the image host and the list API on 127.0.0.1, which misbehaves when told to.
///
/// It serves from the moment it exists until `stop()`. Paths are request paths without a query;
/// where a path is taken, `/t/p/*` means every path with that beginning. Every method may be
/// called from any thread.
final class Origin: Sendable {
    private let site: Site
    private let listener: Listener

    /// Binds 127.0.0.1 and starts to accept.
    ///
    /// - Parameters:
    ///   - fixtures: the folder with `posters/`, `odd/` and `api/`; nil serves only what is put.
    ///   - key: what `/3/` asks for as a Bearer token.
    ///   - port: 0 lets the system pick one.
    ///   - latency: how long every answer takes at least.
    ///   - bucket: the bucket of an S3-like object store, at `/bucket/`.
    init(
        fixtures: String? = nil, key: String = "fixture-key", port: UInt16 = 0,
        latency: Duration = .zero, bucket: String? = nil
    ) throws(OriginError) {
        if let fixtures {
            var facts = stat()
            guard stat(fixtures, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR else {
                throw .noFixtures(path: fixtures)
            }
        }
        let content = ContentStore(folder: fixtures)
        let routes = Routes(
            content: content, key: key,
            bucket: bucket.map { BucketRoutes(name: $0, content: content) })
        site = Site(routes: routes, latency: latency)
        listener = try Listener(port: port, site: site)
    }

    /// Its threads hold its parts, never the origin, so that one that nothing refers to ends.
    deinit { stop() }

    /// Closes everything and blocks until every thread has ended. Nothing can be asked after it.
    func stop() {
        listener.close()
        site.record.stop()
        listener.joinConnections()
    }

    /// The port on 127.0.0.1.
    var port: UInt16 { listener.port }

    /// `http://127.0.0.1:PORT`
    var base: String { "http://127.0.0.1:\(port)" }

    /// What a poster path's size and name are joined to.
    var imageBase: String { "\(base)/t/p" }

    /// What a list's path is joined to.
    var apiBase: String { "\(base)/3" }
}

// Misbehaviour.
extension Origin {
    /// Bends every answer at the path; or only the next `times` of each path, then as usual.
    func misbehave(at path: String, _ fault: Fault, times: Int? = nil) {
        site.rules.set(fault, at: path, times: times)
    }

    /// Takes back the fault set with this very path or pattern.
    func behave(at path: String) {
        site.rules.clear(path)
    }

    /// Closes the port and breaks off every connection: connecting is refused from now on.
    func goDown() {
        listener.close()
    }

    /// Accepts again on the same port, after `goDown()`.
    func comeBack() throws(OriginError) {
        try listener.reopen()
    }

    /// Forgets faults, holds, counts, log, and what was put or removed.
    func reset() {
        site.reset()
    }
}

// What is served.
extension Origin {
    /// Serves these bytes at a path; type, tag and time are made up where `headers` has none.
    func put(_ path: String, _ bytes: [UInt8], headers: [Header] = []) {
        site.routes.content.put(bytes, at: path, headers: headers)
    }

    /// What lies at a path that was put there, by this or over HTTP; nil for nothing.
    func item(_ path: String) -> (bytes: [UInt8], headers: [Header])? {
        guard case .some(.some(let item)) = site.routes.content.change(at: path) else { return nil }
        return (item.bytes, item.headers)
    }

    /// Serves nothing at a path, even where a fixture lies.
    func remove(_ path: String) {
        site.routes.content.remove(at: path)
    }
}

// What was asked.
extension Origin {
    /// Every request in the order it came, the first 100,000 of them.
    var log: [RecordedRequest] { site.record.log }

    /// Requests by path, whatever the query.
    var counts: [String: Int] { site.record.counts }

    /// How many requests came for a path or a pattern.
    func requests(to path: String) -> Int {
        counts.reduce(0) { $0 + (covers(path, $1.key) ? $1.value : 0) }
    }

    /// All requests but those below `/_origin/`.
    var totalRequests: Int { requests(to: "*") }

    /// The most requests that waited for their answers at the same time.
    var mostAtOnce: Int { site.record.mostOpen }

    /// Connections accepted so far, whether or not a request came.
    var acceptedConnections: Int { listener.acceptedConnections }

    /// Connections open now.
    var openConnections: Int { listener.openConnections }
}

// Waiting, so that no test sleeps. Each returns false when `limit` passes first.
extension Origin {
    /// Lets requests to the path wait, from after they are counted until `release(at:)`.
    func hold(at path: String) {
        site.record.hold(path)
    }

    /// Lets go what waits because of a hold with this very path or pattern.
    func release(at path: String) {
        site.record.release(path)
    }

    /// Blocks until at least `count` requests wait at the path.
    func waitUntilHeld(
        _ path: String, count: Int = 1, atMost limit: Duration = .seconds(20)
    ) -> Bool {
        site.record.waitUntilHeld(path, count: count, atMost: limit)
    }

    /// Blocks until at least `count` requests to the path have come in.
    func waitUntilRequested(
        _ path: String, count: Int = 1, atMost limit: Duration = .seconds(20)
    ) -> Bool {
        site.record.waitUntilRequested(path, count: count, atMost: limit)
    }

    /// Blocks until at most `count` connections are open.
    func waitUntilOpenConnections(
        atMost count: Int, within limit: Duration = .seconds(20)
    ) -> Bool {
        listener.waitUntilOpen(atMost: count, limit: limit)
    }
}
