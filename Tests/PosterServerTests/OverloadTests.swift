import Amodb
import Testing

@testable import FixtureOrigin
@testable import PosterBase
@testable import PosterFetch
@testable import PosterImages
@testable import PosterKit
@testable import PosterServer

/// Queues that are full: what is cached is served at once, the rest gets a placeholder that is
/// drawn already, or 503 with `Retry-After` where it asked for an error; each refusal is counted.
@Suite struct OverloadTests {
    private static let size = "/t/p/w342"
    private static let cached = size + ServingTests.poster.path

    /// A site with one thread and one place to wait for each kind of work, and one cached poster.
    private func site() throws -> TestSite {
        let site = try TestSite(
            { $0.deadline = .seconds(25) },
            store: {
                ($0.concurrency, $0.pixelThreads, $0.queueLength) = (1, 1, 1)
            })
        #expect(try site.get(Self.cached).status == 200)
        return site
    }

    @Test
    func `with the queue of new names full, the cached is served and the rest is told at once`()
        throws
    {
        let site = try site()
        let paths = ["/one.jpg", "/two.jpg"]
        for path in paths { site.origin.hold(at: Self.size + path) }
        let waiting = paths.map { path in
            let client = RawClient(port: site.server.port)
            client.send("GET \(Self.size)\(path) HTTP/1.1\r\nHost: x\r\n\r\n")
            if path == "/one.jpg" { #expect(site.origin.waitUntilHeld(Self.size + path)) }
            return client
        }
        while site.store.load.fetchesWaiting < 1 {}
        let refused = try site.get("\(Self.size)/three.jpg")
        #expect(refused.status == 200)
        #expect(refused.header("Cache-Status")?.hasSuffix("placeholder-unavailable") == true)
        #expect(refused.header("Cache-Control") == "public, max-age=60")
        let told = try site.get("\(Self.size)/four.jpg?fallback=error")
        #expect(told.status == 503)
        #expect(told.header("Retry-After") == "1")
        #expect(told.header("Cache-Control") == "no-store")
        #expect(try site.get(Self.cached).body == ServingTests.poster.bytes)
        // Strangers fill their own queue, which says nothing of the node.
        #expect(try site.get("/readyz").status == 200)
        let page = try ExpositionReader(try site.get("/metrics").text)
        #expect(page["onesheet_http_rejects_total{reason=\"busy\"}"] == 1)
        #expect(page["onesheet_jobs_waiting{kind=\"fetch\"}"] == 1)
        #expect(page["onesheet_jobs_running{kind=\"fetch\"}"] == 1)
        let labels = "{kind=\"fetch\",class=\"new_name\"}"
        #expect(page["onesheet_class_jobs_waiting\(labels)"] == 1)
        #expect(page["onesheet_class_jobs_running\(labels)"] == 1)
        #expect(page["onesheet_class_jobs_refused_total\(labels)"] == 2)
        for (path, client) in zip(paths, waiting) {
            site.origin.release(at: Self.size + path)
            #expect(client.receiveResponse()?.status == 200)
        }
    }

    @Test func `with every queue full, an image is what is cached or a placeholder drawn before`()
        throws
    {
        let site = try site()
        // What was begun before may not have left the thread yet.
        while site.store.load.picturesRunning + site.store.load.picturesWaiting > 0 {}
        let gate = Monitor(false)
        defer {
            gate.withLock { $0 = true }
            gate.notifyAll()
        }
        let blocked: @Sendable (inout ImageWorker) -> Void = { _ in
            _ = gate.wait { $0 ? true : nil }
        }
        #expect(site.store.pixels.submit(.live, blocked))
        while site.store.load.picturesRunning < 1 {}
        for jobClass in JobClass.allCases { #expect(site.store.pixels.submit(jobClass, blocked)) }
        for target in [
            "\(Self.cached)?w=60&h=90", "/placeholder/60x90?title=x",
            "/placeholder/1000x1500?dpr=2",
            "/thumb/120x180/null", "/placeholder/100x100?format=webp&kind=missing",
        ] {
            let answer = try site.get(target)
            #expect(answer.status == 200, "\(target)")
            #expect(
                answer.header("Cache-Status")?.hasSuffix("placeholder-unavailable") == true,
                "\(target)")
            #expect(answer.header("Cache-Control") == "public, max-age=60")
            let format = target.contains("webp") ? "image/webp" : "image/jpeg"
            #expect(answer.header("Content-Type") == format)
        }
        let told = try site.get("\(Self.cached)?w=60&h=90&fallback=error")
        #expect(told.status == 503)
        #expect(told.header("Retry-After") == "1")
        #expect(try site.get(Self.cached).body == ServingTests.poster.bytes)
        #expect(try site.get("/readyz").text.contains("decode_queue_full"))
        let page = try ExpositionReader(try site.get("/metrics").text)
        #expect(page["onesheet_http_rejects_total{reason=\"busy\"}"] == 1)
        #expect(page["onesheet_jobs_waiting{kind=\"picture\"}"] == 6)
        gate.withLock { $0 = true }
        gate.notifyAll()
        while site.store.load.picturesRunning + site.store.load.picturesWaiting > 0 {}
        let made = try site.get("\(Self.cached)?w=60&h=90")
        #expect(made.header("Cache-Status") == "onesheet; hit; detail=made")
    }

    @Test func `with the queue of known posters full, it is not ready`() throws {
        let site = try site()
        while site.store.load.fetchesRunning + site.store.load.fetchesWaiting > 0 {}
        let gate = Monitor(false)
        let blocked: @Sendable (inout TransferWorker) -> Void = { _ in
            _ = gate.wait { $0 ? true : nil }
        }
        #expect(site.store.transfers.submit(.live, blocked))
        while site.store.load.fetchesRunning < 1 {}
        #expect(site.store.transfers.submit(.live, blocked))
        #expect(try site.get("/readyz").text.contains("fetch_queue_full"))
        gate.withLock { $0 = true }
        gate.notifyAll()
        while site.store.load.fetchesRunning + site.store.load.fetchesWaiting > 0 {}
        #expect(try site.get("/readyz").status == 200)
    }
}
