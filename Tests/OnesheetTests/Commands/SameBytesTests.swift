import Foundation
import Testing
import TestSupport

@testable import FixtureOrigin

/// One poster and one variant are the same bytes by every way to them: `thumbnail`, `prefetch
/// --thumbs`, and the server, which makes them alone, one after the other, or all at once.
@Suite struct SameBytesTests {
    private static let boxes = ["45x68", "60x90", "92x138", "120x180", "154x231", "180x270"]

    @Test func `a command, a prefetch and a server make the same thumbnails`() throws {
        let upstream = try Upstream()
        let path = try #require(try Upstream.trendingPaths().first)

        let prefetching = upstream.program()
        let outcome = try prefetching.run(
            "prefetch", "--quiet", "--sizes", "w185", "--thumbs", Self.boxes.joined(separator: ","))
        #expect(outcome.status == 0)
        let requests = upstream.origin.requests(to: "/t/p/w185\(path)")
        #expect(requests == 1)

        let poster = prefetching.directory.path + "/poster.jpg"
        _ = try prefetching.run("get", "--size", "w185", "-o", poster, path)
        let filled = try RunningServer(prefetching)
        let empty = try RunningServer(upstream.program())
        let crowded = try RunningServer(upstream.program())
        let crowd = Crowd(
            port: crowded.port, paths: Self.boxes.map { "/thumb/\($0)\(path)" })
        for box in Self.boxes {
            let file = prefetching.directory.path + "/\(box).jpg"
            let made = try prefetching.run("thumbnail", "--size", box, "-o", file, poster)
            #expect(made.status == 0)
            let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: file)))
            let target = "/thumb/\(box)\(path)"
            #expect(try filled.get(target).body == bytes, "\(box) by prefetch")
            #expect(try empty.get(target).body == bytes, "\(box) alone")
            #expect(crowd.bodies[target] == bytes, "\(box) with others")
        }
        for server in [filled, empty, crowded] { #expect(try server.stop(SIGTERM) == 0) }
    }
}

/// Clients that ask one server for a path each, at once.
private struct Crowd {
    let bodies: [String: [UInt8]]

    init(port: UInt16, paths: [String]) {
        let queue = DispatchQueue(label: "crowd")
        nonisolated(unsafe) var bodies: [String: [UInt8]] = [:]
        DispatchQueue.concurrentPerform(iterations: paths.count) { index in
            let body = try? RunningServer.get(paths[index], port: port).body
            queue.sync { bodies[paths[index]] = body }
        }
        self.bodies = bodies
    }
}
