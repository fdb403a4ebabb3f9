import Amodb
import Foundation
import Testing
import TestSupport

@testable import FixtureOrigin
@testable import PosterCache
@testable import PosterImages
@testable import PosterKit

/// Posters that came while the disk was full, and thumbnails of posters that came again.
@Suite struct PosterStoreUnstoredTests {
    private let bench = StoreBench()
    private let path = Fixtures.posters[0]

    @Test(
        .enabled(if: SmallDisk.isPossible, "mounting a file system takes root"),
        .timeLimit(.minutes(1)))
    func `what came while the disk was full is stored once it has room, though nobody asks`()
        throws
    {
        let disk = try #require(SmallDisk("size=2m"))
        let cache = disk.path + "/cache"
        let ballast = URL(fileURLWithPath: disk.path + "/ballast")
        let store = try bench.store(diskPause: .milliseconds(20)) { $0.cacheDirectory = cache }
        #expect(throws: (any Error).self) { try Data(count: 4 << 20).write(to: ballast) }
        let variant = try ThumbnailVariant(width: 60, height: 90)
        let requests =
            Fixtures.posters.prefix(3).map { PosterRequest($0, .poster(.w342)) }
            + [PosterRequest(path, .thumbnail(variant))]
        for request in requests {
            let answer = store.ask(request)
            #expect(answer.picture != nil && !answer.isStored)
        }
        let asked = bench.origin.totalRequests
        try FileManager.default.removeItem(at: ballast)
        store.unstored.waitUntilEmpty()
        for request in requests {
            let key = try #require(request.key)
            #expect(FileManager.default.fileExists(atPath: "\(cache)/\(key)"), "\(key)")
        }
        let other = try bench.store { $0.cacheDirectory = cache }
        for request in requests { #expect(other.ask(request).state.source == .disk) }
        #expect(bench.origin.totalRequests == asked)
    }

    @Test func `what waits for room is bounded, and the newest stays`() throws {
        let unstored = UnstoredEntries(capacity: 10_000)
        let keys = try (0..<5).map { try CacheFixture.poster("K\($0)") }
        let entry = CacheFixture().entry(CacheFixture.jpeg(4000))
        #expect(keys.map { unstored.add($0, entry) } == [true, false, false, false, false])
        #expect(keys.map { unstored[$0] != nil } == [false, false, false, true, true])
        #expect(!unstored.add(keys[0], CacheFixture().entry(CacheFixture.jpeg(10_001))))
        #expect(unstored.first()?.key == keys[3])
        for key in keys { unstored.remove(key) }
        #expect(unstored.first() == nil)
        // The retry ended, so the next one begins another.
        #expect(unstored.add(keys[1], entry))
        unstored.remove(keys[1])
        unstored.waitUntilEmpty()
    }

    /// Upstream has another picture from now on.
    private func replace(_ size: PosterSize) throws -> [UInt8] {
        let bytes = try Fixtures.bytes(Fixtures.posters[1], size)
        bench.origin.put(
            "/t/p/\(size.rawValue)\(path)", bytes, headers: [("Content-Type", "image/jpeg")])
        return bytes
    }

    @Test(
        "a poster that is fetched again takes its old thumbnails along", arguments: [false, true])
    func refetched(isSameProcess: Bool) throws {
        let first = try bench.store()
        let variant = try ThumbnailVariant(width: 200, height: 300)
        let thumbnail = PosterRequest(path, .thumbnail(variant))
        let old = first.ask(thumbnail)
        let poster = EntryKey.poster(path, .w342)
        #expect(Set(bench.entries) == [poster, .thumbnail(path, variant)])
        bench.advance(by: .seconds(2))
        let new = try replace(.w342)
        try bench.remove(poster)
        let store = isSameProcess ? first : try bench.store()
        #expect(store.ask(PosterRequest(path, .poster(.w342))).picture?.bytes == new)
        #expect(bench.entries == [poster])
        let made = store.ask(thumbnail)
        #expect(made.state.source == .made)
        #expect(made.picture?.bytes != old.picture?.bytes)
    }

    @Test func `thumbnails of the same bytes, and of another size, stay`() throws {
        let store = try bench.store()
        let small = try ThumbnailVariant(width: 60, height: 90)
        let large = try ThumbnailVariant(width: 200, height: 300)
        for variant in [small, large] { _ = store.ask(PosterRequest(path, .thumbnail(variant))) }
        let other = try bench.store()
        // The same bytes as before.
        try bench.remove(.poster(path, .w342))
        _ = other.ask(PosterRequest(path, .poster(.w342)))
        #expect(bench.entries.count == 4)
        // Another picture, of which only the larger thumbnail was made.
        try bench.remove(.poster(path, .w342))
        _ = try replace(.w342)
        _ = try bench.store().ask(PosterRequest(path, .poster(.w342)))
        #expect(
            Set(bench.entries) == [
                .poster(path, .w185), .poster(path, .w342), .thumbnail(path, small),
            ])
    }

    @Test func `a thumbnail lives as long as its poster, however late it is made`() throws {
        let store = try bench.store()
        _ = store.ask(PosterRequest(path, .poster(.w342)))
        let fetched = bench.now
        bench.advance(by: .seconds(10 * 86_400))
        let variant = try ThumbnailVariant(width: 200, height: 300)
        let request = PosterRequest(path, .thumbnail(variant))
        let key = EntryKey.thumbnail(path, variant)
        #expect(store.ask(request).state == .fresh(.made, secondsLeft: 20 * 86_400))
        store.unwritten.waitUntilEmpty()
        #expect(try bench.cache().read(key).entry?.validated == fetched)
        // Both have expired, and upstream says that the poster is unchanged.
        bench.advance(by: .seconds(21 * 86_400))
        #expect(store.ask(request).state == .fresh(.revalidated, secondsLeft: 30 * 86_400))
        bench.advance(by: .seconds(86_400))
        let other = try ThumbnailVariant(width: 180, height: 270)
        #expect(
            store.ask(PosterRequest(path, .thumbnail(other))).state
                == .fresh(.made, secondsLeft: 29 * 86_400))
    }
}
