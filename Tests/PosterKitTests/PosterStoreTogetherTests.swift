import Amodb
import Testing

@testable import FixtureOrigin
@testable import PosterBase
@testable import PosterImages
@testable import PosterKit

/// Thumbnails of one poster that are asked for together: made by one decode, and the same bytes as
/// when each is asked for alone.
@Suite struct PosterStoreTogetherTests {
    private let path = Fixtures.posters[0]
    private let variants = [
        "45x68-cover-q82.jpeg", "60x90-cover-q82.jpeg", "92x138-cover-q82.jpeg",
        "120x180-cover-q82.jpeg", "154x231-cover-q82.webp", "180x270-cover-q82.png",
    ].compactMap { ThumbnailVariant($0) }

    /// The answers to all requests at once, in their order.
    private func together(_ requests: [PosterRequest], _ store: PosterStore) -> [PosterKit.Answer] {
        let answers = Monitor<[PosterRequest: PosterKit.Answer]>([:])
        store.answer(together: requests) { request, answer in
            answers.withLock { $0[request] = answer }
            answers.notifyAll()
        }
        let all = answers.wait { $0.count == requests.count ? $0 : nil }
        return requests.compactMap { all[$0] }
    }

    private func requests(_ priority: Priority = .background) -> [PosterRequest] {
        variants.map { PosterRequest(path, .thumbnail($0), priority: priority, fetchedSize: .w185) }
            + [PosterRequest(path, .poster(.w185), priority: priority)]
    }

    /// What each variant is when a store of its own is asked for nothing else.
    private func alone(_ variant: ThumbnailVariant) throws -> [UInt8]? {
        let bench = StoreBench()
        return try bench.store().ask(PosterRequest(path, .thumbnail(variant))).picture?.bytes
    }

    @Test func `the decode that proves a poster makes all of its thumbnails`() throws {
        let bench = StoreBench()
        let store = try bench.store()
        let made = together(requests(), store)
        #expect(try made.prefix(variants.count).map { $0.picture?.bytes } == variants.map(alone))
        #expect(store.metrics.images.pixelTimes[.verify].count == 0)
        #expect(store.metrics.images.pixelTimes[.thumbnail].count == 1)
        #expect(bench.origin.totalRequests == 1)
        #expect(store.knownTint(of: path) != nil)
    }

    @Test func `one decode makes all thumbnails of a poster that is cached`() throws {
        for priority in Priority.allCases {
            let bench = StoreBench()
            let store = try bench.store { $0.memoryBytes = 0 }
            _ = store.ask(PosterRequest(path, .poster(.w185)))
            let before = store.metrics.images.pixelTimes[.thumbnail].count
            let made = together(requests(priority), store)
            #expect(
                try made.prefix(variants.count).map { $0.picture?.bytes } == variants.map(alone))
            #expect(store.metrics.images.pixelTimes[.thumbnail].count == before + 1)
        }
    }

    @Test func `thumbnails that wait for one poster's fetch are the same as alone`() throws {
        let bench = StoreBench()
        let store = try bench.store()
        let pending = variants.shuffled().map { variant in
            (variant, PendingAnswer(store, PosterRequest(path, .thumbnail(variant))))
        }
        for (variant, answer) in pending {
            #expect(try answer.wait().picture?.bytes == alone(variant))
        }
        #expect(bench.origin.totalRequests == 1)
    }

    @Test func `the tint is the same, whatever is made with it`() throws {
        var tints: Set<Tint> = []
        for count in 0...variants.count {
            let bench = StoreBench()
            let store = try bench.store()
            let some = variants.prefix(count).map { PosterRequest(path, .thumbnail($0)) }
            _ = together(some + [PosterRequest(path, .poster(.w185))], store)
            tints.insert(try #require(store.knownTint(of: path)))
        }
        #expect(tints.count == 1)
    }

    @Test func `a picture that cannot be shown ends all requests for its thumbnails`() throws {
        let bench = StoreBench()
        let store = try bench.store()
        let missing = try PosterPath("/nothing-here.jpg")
        let requests = variants.map {
            PosterRequest(missing, .thumbnail($0), drawsPlaceholder: false)
        }
        for answer in together(requests, store) { #expect(answer.picture == nil) }
    }

    @Test func `a box that was made before waits for no box that was not`() throws {
        let bench = StoreBench()
        let store = try bench.store { $0.pixelThreads = 2 }
        let other = Fixtures.posters[1]
        _ = store.ask(PosterRequest(path, .thumbnail(variants[0])))
        _ = store.ask(PosterRequest(other, .poster(.w185)))
        let gate = Monitor(false)
        defer {
            gate.withLock { $0 = true }
            gate.notifyAll()
        }
        #expect(store.pixels.submit(.newBox) { _ in _ = gate.wait { $0 ? true : nil } })
        let made = Monitor<Set<PosterRequest>>([])
        let requests = variants.map { PosterRequest(other, .thumbnail($0)) }
        store.answer(together: requests) { request, answer in
            if case .fresh = answer.state {
                made.withLock { _ = $0.insert(request) }
            }
            made.notifyAll()
        }
        // The other boxes have the one thread that strangers may take, which is busy.
        #expect(made.wait { $0.isEmpty ? nil : $0 } == [requests[0]])
        gate.withLock { $0 = true }
        gate.notifyAll()
        _ = made.wait { $0.count == requests.count ? true : nil }
    }

    @Test func `a store that drains drops what a batch has not begun`() throws {
        for priority in Priority.allCases {
            let bench = StoreBench()
            let store = try bench.store()
            _ = store.ask(PosterRequest(path, .poster(.w185)))
            let requests = variants.map {
                PosterRequest(path, .thumbnail($0), drawsPlaceholder: false, priority: priority)
            }
            let answers = Monitor<[PosterKit.Answer]>([])
            store.answer(together: requests) { _, answer in
                store.drain()
                answers.withLock { $0.append(answer) }
                answers.notifyAll()
            }
            let all = answers.wait { $0.count == requests.count ? $0 : nil }
            #expect(all.count { $0.picture != nil } == 1)
        }
    }
}
