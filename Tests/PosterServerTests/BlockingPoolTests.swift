import Amodb
import Glibc
import Testing

@testable import FixtureOrigin
@testable import PosterBase
@testable import PosterCache
@testable import PosterHTTP
@testable import PosterImages
@testable import PosterKit
@testable import PosterServer

/// What would hold up a serving thread is done by another.
@Suite struct BlockingPoolTests {
    private let site: TestSite
    private let service: Service
    private static let target = "/t/p/w342\(ServingTests.poster.path)"

    init() throws {
        site = try TestSite(store: { $0.memoryBytes = 0 })
        service = Service(ServerConfiguration(), store: site.store, lists: site.lists)
        _ = try site.get(Self.target)
    }

    /// The answer to a target, and whether it was given on the thread that asked.
    private func answer(_ target: String, slowDisk: Bool = false) -> (reply: Reply, isHere: Bool) {
        // On a busy machine any disk is slow now and then.
        site.store.pace.note(site.store.pace.slow, now: slowDisk ? .now : .now - DiskLatency.memory)
        let caller = pthread_self()
        let given = Monitor<(Reply, Bool)?>(nil)
        var head = RequestHead()
        head.target = target
        service.answer(head) { reply in
            let isHere = pthread_equal(pthread_self(), caller) != 0
            given.withLock { $0 = (reply, isHere) }
            given.notifyAll()
        }
        return given.wait { $0 }
    }

    @Test func `a hit is answered at once, unless its disk has been slow`() {
        defer { service.stop() }
        #expect(answer(Self.target).isHere)
        let later = answer(Self.target, slowDisk: true)
        #expect(!later.isHere)
        #expect(later.reply.status == 200)
        #expect(later.reply.header("Cache-Status") == "onesheet; hit")
    }

    @Test func `a tint that nobody knows is worked out elsewhere, once`() throws {
        defer { service.stop() }
        let known = answer(Self.target).reply.header("Onesheet-Tint")
        #expect(known != nil)
        // As after a restart.
        site.store.tints.remove(try PosterPath(ServingTests.poster.path))
        let first = answer(Self.target)
        #expect(!first.isHere)
        #expect(first.reply.header("Onesheet-Tint") == known)
        #expect(answer(Self.target).isHere)
    }

    @Test func `a page is put together elsewhere, its assets are there`() {
        defer { service.stop() }
        let page = answer("/")
        #expect(page.reply.status == 200)
        #expect(!page.isHere)
        #expect(answer("/assets/page.css").isHere)
    }

    @Test func `when all is taken, a hit goes without its tint and a page is told so`() throws {
        defer { service.stop() }
        site.store.tints.remove(try PosterPath(ServingTests.poster.path))
        service.stop()
        let hit = answer(Self.target)
        #expect(hit.isHere)
        #expect(hit.reply.status == 200)
        #expect(hit.reply.header("Onesheet-Tint") == nil)
        let page = answer("/")
        #expect(page.reply.status == 503)
        #expect(page.reply.header("Retry-After") == "1")
    }
}
