import Amodb
import Testing

@testable import FixtureOrigin
@testable import PosterBase
@testable import PosterCache
@testable import PosterImages
@testable import PosterKit

/// A thumbnail of a cached poster is answered with before it lies on disk.
@Suite struct PosterStoreKeepingTests {
    private let bench = StoreBench()
    private let path = Fixtures.posters[0]
    private let gate = Gate()

    /// A store that has one poster and nothing in memory, and whose diskWriters are held up.
    private func store() throws -> PosterStore {
        let store = try bench.store { $0.memoryBytes = 0 }
        _ = store.ask(PosterRequest(path, .poster(.w500)))
        for _ in 0..<PosterStore.diskWriterThreads {
            // Not holding the bench, whose end must not fall to a keeper.
            let isQueued = store.diskWriters.submit(.live) { [gate] _ in gate.pass() }
            #expect(isQueued)
        }
        gate.waitUntilReached(by: PosterStore.diskWriterThreads)
        return store
    }

    private func request(_ width: Int, _ priority: Priority = .live) throws -> PosterRequest {
        let variant = try ThumbnailVariant(width: width, height: width * 3 / 2)
        return PosterRequest(path, .thumbnail(variant), priority: priority)
    }

    @Test func `the answer waits for no disk, and the next one makes nothing anew`() throws {
        let store = try store()
        defer { gate.open() }
        let request = try request(60)
        let made = store.ask(request)
        #expect(made.state.source == .made)
        #expect(bench.entries == [.poster(path, .w500)])
        let again = store.ask(request)
        #expect(again.state.source == .memory)
        #expect(again.picture?.bytes == made.picture?.bytes)
        gate.open()
        store.unwritten.waitUntilEmpty()
        #expect(Set(bench.entries) == [.poster(path, .w500), try #require(request.key)])
        let kept = store.ask(request)
        #expect(kept.state.source == .disk)
        #expect(kept.picture?.bytes == made.picture?.bytes)
    }

    @Test func `what a store still has to write lies on disk when it is closed`() throws {
        let store = try store()
        let requests = try [60, 90, 120].map { try request($0) }
        for request in requests { #expect(store.ask(request).state.source == .made) }
        gate.open()
        store.close()
        #expect(Set(bench.entries) == Set(requests.compactMap(\.key) + [.poster(path, .w500)]))
    }

    @Test func `a prefetch is told when it lies on disk`() throws {
        let store = try store()
        defer { gate.open() }
        let request = try request(60, .background)
        #expect(store.ask(request).isStored)
        #expect(Set(bench.entries) == [.poster(path, .w500), try #require(request.key)])
    }

    @Test func `with too much to write already, whoever made it writes it`() throws {
        let store = try store()
        defer { gate.open() }
        let giant = CacheEntry(
            picture: Picture(
                bytes: [UInt8](repeating: 0, count: PosterStore.unwrittenBytes), format: .jpeg,
                made: .now()),
            validated: .now())
        let other = try #require(try request(300).key)
        #expect(store.unwritten.add(other, giant))
        let request = try request(60)
        #expect(store.ask(request).state.source == .made)
        #expect(Set(bench.entries) == [.poster(path, .w500), try #require(request.key)])
        #expect(!store.unwritten.add(other, giant))
        store.unwritten.remove(other)
        #expect(store.unwritten.add(other, giant))
        store.unwritten.remove(other)
    }
}
