import Foundation
import Testing
import TestSupport

@testable import FixtureOrigin

/// `prefetch --through`, with a node that stands for a front with nodes behind it.
@Suite struct PrefetchThroughTests {
    private let upstream: Upstream
    private let node: RunningServer
    private let paths: [String]

    init() throws {
        upstream = try Upstream()
        node = try RunningServer(upstream.program(), "--rate", "0", "--deadline", "20")
        paths = Array(try Upstream.trendingPaths().prefix(4))
    }

    private func prefetch(
        _ words: String..., paths: [String]? = nil, url: String? = nil
    ) throws -> BuiltProgram.Outcome {
        let list = (paths ?? self.paths).map { "\($0)\n" }.joined()
        let url = url ?? "http://127.0.0.1:\(node.port)"
        return try BuiltProgram().run(
            ["prefetch", "--through", url, "--from", "-", "--rate", "0"] + words, input: list)
    }

    @Test func `the node fetches each poster once and makes its thumbnails; then all is fresh`()
        throws
    {
        let first = try prefetch("--json", "--thumbs", "120x180")
        #expect(first.status == 0, "\(first.messages)")
        let bytes = try paths.map { try Upstream.bytes("posters/w342\($0)").count }.reduce(0, +)
        #expect(
            try first.numbers("fetched", "fresh", "failed", "thumbnails", "bytes")
                == [4, 0, 0, 4, bytes])
        #expect((try first.json()["tints"] as? [String: String])?.count == 4)
        #expect(upstream.origin.requests(to: "/t/p/*") == 4)
        let second = try prefetch("--json", "--thumbs", "120x180")
        #expect(
            try second.numbers("fetched", "fresh", "failed", "thumbnails", "thumbnailsFresh")
                == [0, 4, 0, 0, 4])
        #expect(upstream.origin.requests(to: "/t/p/*") == 4)
        #expect(try node.stop(SIGTERM) == 0)
    }

    @Test func `nothing but lists is kept on the machine that asks`() throws {
        var program = upstream.program()
        program.environment["AMODB_KEY"] = Upstream.key
        let outcome = try program.run(
            "prefetch", "--through", "http://127.0.0.1:\(node.port)", "--rate", "0", "--quiet")
        #expect(outcome.status == 0 && outcome.messages.isEmpty, "\(outcome.messages)")
        let folders = try FileManager.default.contentsOfDirectory(atPath: program.cache)
        for folder in folders where ["posters", "thumbs"].contains(folder) {
            let held = try FileManager.default.contentsOfDirectory(
                atPath: "\(program.cache)/\(folder)")
            #expect(held.isEmpty)
        }
    }

    @Test func `what upstream has not, and what it fails with, is told as ever`() throws {
        upstream.origin.misbehave(at: "/t/p/w342\(paths[0])", .status(404))
        upstream.origin.misbehave(at: "/t/p/w342\(paths[1])", .html)
        let outcome = try prefetch("--json")
        #expect(outcome.status == 1)
        #expect(try outcome.numbers("fetched", "notFound", "failed") == [2, 1, 1])
        #expect(outcome.messages.contains(paths[1]))
    }

    @Test func `a node that is too slow at first is asked again`() throws {
        let slow = try RunningServer(upstream.program(), "--deadline", "0.5")
        upstream.origin.misbehave(at: "/t/p/*", .delay(.milliseconds(900)), times: 1)
        let outcome = try prefetch("--json", url: "http://127.0.0.1:\(slow.port)")
        #expect(outcome.status == 0, "\(outcome.messages)")
        #expect(upstream.origin.requests(to: "/t/p/*") == 4)
    }

    @Test func `a node lets its visitors go first`() throws {
        let node = try RunningServer(
            upstream.program(), "--rate", "0", "--concurrency", "1", "--deadline", "100")
        let origin = upstream.origin
        func waitUntilWaiting(_ count: Int) throws {
            while !String(decoding: try node.get("/metrics").body, as: UTF8.self)
                .contains("onesheet_jobs_waiting{kind=\"fetch\"} \(count)\n")
            {}
        }
        let all = try Upstream.trendingPaths()
        let (wanted, visited) = (Array(all.prefix(6)), Array(all.dropFirst(6).prefix(3)))
        origin.hold(at: "/t/p/*")
        let prefetch = try BuiltProgram().start(
            [
                "prefetch", "--through", "http://127.0.0.1:\(node.port)", "--from", "-", "--rate",
                "0", "-q",
            ], input: wanted.map { "\($0)\n" }.joined())
        #expect(origin.waitUntilHeld("/t/p/*"))
        try waitUntilWaiting(5)
        let port = node.port
        for path in visited {
            Thread.detachNewThread { _ = try? fetch("/t/p/w342\(path)", port: port) }
        }
        try waitUntilWaiting(8)
        origin.release(at: "/t/p/*")
        #expect(try prefetch.wait().status == 0)
        let order = origin.log.map { String($0.path.dropFirst("/t/p/w342".count)) }
        #expect(order.count == 9)
        #expect(Set(order.dropFirst().prefix(3)) == Set(visited))
    }

    @Test func `an address that is nobody's of ours is no front`() throws {
        let image = try prefetch("--json", url: upstream.origin.base)
        #expect(image.status == 1)
        #expect(try image.numbers("fetched", "failed") == [0, 4])
        #expect(image.messages.contains("Cache-Status"))
    }

    @Test func `a front that is not there, or has no node, ends it`() throws {
        // More than can be under way before the first failures are told.
        let many = (0..<40).map { "/p\($0).jpg" }
        let nobody = try prefetch(paths: many, url: "http://127.0.0.1:1")
        #expect(nobody.status == 69, "\(nobody.messages)")
        upstream.origin.misbehave(at: "/t/p/*", .status(503))
        let nodeless = try prefetch(paths: many, url: upstream.origin.base)
        #expect(nodeless.status == 69, "\(nodeless.messages)")
    }

    @Test func `a thumbnail with a free side is no address of a front's`() throws {
        #expect(try prefetch("--thumbs", "120x").status == 64)
        #expect(try prefetch(url: "front").status == 64)
    }
}
