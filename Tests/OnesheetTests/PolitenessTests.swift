import Foundation
import Testing
import TestSupport

@testable import FixtureOrigin

/// What upstream sees of several processes on one cache directory: its own log is the witness.
@Suite struct PolitenessTests {
    private let upstream: Upstream
    private let program: BuiltProgram

    init() throws {
        upstream = try Upstream(latency: .milliseconds(40))
        program = upstream.program()
        let poster = try Upstream.bytes("posters/w342\(Upstream.trendingPaths()[0])")
        for number in 0..<Self.posters {
            upstream.origin.put("/t/p/w342/p\(number).jpg", poster)
        }
    }

    private static let posters = 90

    private func list(_ numbers: some Sequence<Int>) -> String {
        numbers.map { "/p\($0).jpg\n" }.joined()
    }

    /// Half of the posters are new to the cache, half are asked for again, one redirects, some fail
    /// at first: each request counts.
    @Test func `no second and no moment holds more requests than the limits`() throws {
        let origin = upstream.origin
        let old = try program.run(
            ["prefetch", "--from", "-", "--rate", "0", "-q"], input: list(0..<30))
        #expect(old.status == 0, "\(old.messages)")
        origin.reset()
        for number in 0..<Self.posters where number % 10 == 7 {
            origin.misbehave(at: "/t/p/w342/p\(number).jpg", .status(503), times: 1)
        }
        for number in 0..<Self.posters where number % 10 == 3 {
            origin.misbehave(
                at: "/t/p/w342/p\(number).jpg", .redirect(to: "/t/p/w342/p0.jpg"), times: 1)
        }
        let limits = ["--rate", "25", "--concurrency", "4"]
        let server = try RunningServer(
            program, "--rate", "25", "--concurrency", "4", "--max-age", "1s", "--deadline", "60")
        let prefetches = try [0..<60, 30..<90].map {
            try program.start(
                ["prefetch", "--from", "-", "-q", "--max-age", "1s"] + limits, input: list($0))
        }
        let clients = (0..<6).map { client in
            let (port, done) = (server.port, Signal())
            Thread.detachNewThread {
                for number in stride(from: client, to: Self.posters, by: 6) {
                    _ = try? fetch("/t/p/w342/p\(number).jpg", port: port)
                }
                done.raise()
            }
            return done
        }
        for prefetch in prefetches { _ = try prefetch.wait() }
        for client in clients { client.wait() }
        #expect(try server.stop(SIGTERM) == 0)

        let times = origin.log.map(\.time).sorted()
        #expect(times.count > 90)
        for (early, late) in zip(times, times.dropFirst(25)) {
            #expect(late - early >= .seconds(1), "over 25 in the second from \(early)")
        }
        #expect(origin.mostAtOnce <= 4)
        #expect(origin.mostAtOnce > 1)
    }

    @Test func `a poster that two processes want is fetched once`() throws {
        let (origin, path) = (upstream.origin, "/t/p/w342/p1.jpg")
        origin.hold(at: path)
        let prefetch = try program.start(
            ["prefetch", "--from", "-", "--json", "--rate", "0"], input: list(1...1))
        #expect(origin.waitUntilHeld(path))
        let server = try RunningServer(program, "--rate", "0", "--deadline", "60")
        let (port, answered) = (server.port, Signal())
        Thread.detachNewThread {
            _ = try? fetch(path, port: port)
            answered.raise()
        }
        // The server's thread is at it, and has nothing to send.
        while !String(decoding: try server.get("/metrics").body, as: UTF8.self)
            .contains("onesheet_jobs_running{kind=\"fetch\"} 1")
        {}
        origin.release(at: path)
        #expect(try prefetch.wait().numbers("fetched") == [1])
        answered.wait()
        #expect(origin.requests(to: path) == 1)
        #expect(try server.get(path).status == 200)
        #expect(try server.stop(SIGTERM) == 0)
    }

    @Test func `lists count where they are on the same host`() throws {
        let origin = upstream.origin
        let outcome = try program.run(
            "prefetch", "--rate", "3", "--pages", "2", "-l", "trending/movie/week", "-l",
            "trending/tv/week", "--quiet", "--sizes", "w185")
        #expect([0, 1, 69].contains(outcome.status), "\(outcome.messages)")
        let times = origin.log.map(\.time).sorted()
        for (early, late) in zip(times, times.dropFirst(3)) {
            #expect(late - early >= .seconds(1), "over 3 in the second from \(early)")
        }
    }
}

/// Raised once; others wait for it.
private final class Signal: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func raise() { semaphore.signal() }

    func wait() { semaphore.wait() }
}
