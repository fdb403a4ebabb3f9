import Foundation
import Testing
import TestSupport

@testable import FixtureOrigin

/// A signal ends what waits, whatever it waits for: upstream never answers here.
@Suite(.timeLimit(.minutes(2))) struct ShutdownTests {
    private let upstream: Upstream

    init() throws {
        upstream = try Upstream()
        upstream.origin.hold(at: "/t/p/*")
    }

    /// Clients that ask a server for a poster each, and what they got.
    private final class Crowd: Sendable {
        private let statuses = Mutexed<[Int?]>([])
        private let done = DispatchSemaphore(value: 0)
        private let count: Int

        init(_ count: Int, of port: UInt16) {
            self.count = count
            for number in 0..<count {
                Thread.detachNewThread { [statuses, done] in
                    let answer = try? fetch("/t/p/w342/s\(number).jpg", port: port)
                    statuses.change { $0.append(answer?.status) }
                    done.signal()
                }
            }
        }

        /// How many have their answer.
        var answered: Int { statuses.change { $0.count } }

        func wait() -> [Int?] {
            for _ in 0..<count { done.wait() }
            return statuses.change { $0 }
        }
    }

    /// Waits until so many fetches wait or run, or their clients have their answers.
    private func waitUntilAsked(
        _ count: Int, of server: RunningServer, by crowd: Crowd
    ) throws {
        while true {
            let page = String(decoding: try server.get("/metrics").body, as: UTF8.self)
            let numbers = page.split(separator: "\n").filter {
                $0.hasPrefix("onesheet_jobs_") && $0.contains("{kind=\"fetch\"} ")
            }.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
            if numbers.reduce(crowd.answered, +) >= count { return }
        }
    }

    @Test(
        "a server with a long queue ends, and every client has its stand-in",
        arguments: [["--rate", "5"], ["--rate", "0"], ["--rate", "5", "--concurrency", "1"]])
    func queued(limits: [String]) throws {
        let program = upstream.program()
        let server = try RunningServer(program, ["--deadline", "300"] + limits)
        let crowd = Crowd(120, of: server.port)
        // Names never seen have a queue of 64, and the clients beyond it their stand-ins at once.
        // All have been read before the signal: a connection that is not accepted yet is reset.
        try waitUntilAsked(120, of: server, by: crowd)
        #expect(try server.stop(SIGTERM) == 0)
        #expect(crowd.wait() == Array(repeating: 200, count: 120))
        #expect(upstream.origin.requests(to: "/t/p/*") <= 16)
    }

    @Test func `a server that waits for another process's poster ends`() throws {
        let program = upstream.program()
        let path = "/t/p/w342/s0.jpg"
        let prefetch = try program.start(["prefetch", "--from", "-"], input: "/s0.jpg\n")
        #expect(upstream.origin.waitUntilHeld(path))
        let server = try RunningServer(program, "--deadline", "300")
        let crowd = Crowd(1, of: server.port)
        try waitUntilAsked(1, of: server, by: crowd)
        #expect(try server.stop(SIGTERM) == 0)
        #expect(crowd.wait() == [200])
        prefetch.signal(SIGTERM)
        #expect(try prefetch.wait().status == 143)
    }

    @Test("a prefetch ends while it waits, and has not failed", arguments: ["1", "0"])
    func prefetch(rate: String) throws {
        let list = (0..<50).map { "/s\($0).jpg\n" }.joined()
        let prefetch = try upstream.program().start(
            ["prefetch", "--from", "-", "--json", "--rate", rate], input: list)
        #expect(upstream.origin.waitUntilHeld("/t/p/*"))
        prefetch.signal(SIGTERM)
        let outcome = try prefetch.wait()
        #expect(outcome.status == 143)
        #expect(try outcome.numbers("fetched", "failed") == [0, 0])
    }

    @Test func `a get ends while it waits`() throws {
        let get = try upstream.program().start(["get", "-o", "x.jpg", "/s0.jpg"])
        #expect(upstream.origin.waitUntilHeld("/t/p/*"))
        get.signal(SIGTERM)
        #expect(try get.wait().status == -SIGTERM)
    }
}

/// A value that threads of a test share.
private final class Mutexed<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func change<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body(&value)
    }
}
