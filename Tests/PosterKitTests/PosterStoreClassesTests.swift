import Amodb
import Testing

@testable import FixtureOrigin
@testable import PosterBase
@testable import PosterCache
@testable import PosterImages
@testable import PosterKit
@testable import PosterLists

/// Which class a request's work belongs to.
@Suite struct PosterStoreClassesTests {
    private let bench = StoreBench()
    private let path = Fixtures.posters[0]

    private func jobClass(_ store: PosterStore, _ request: PosterRequest) -> JobClass {
        store.jobClass(of: request, isCached: false)
    }

    @Test func `a poster is known when it is cached at any size, by any process`() throws {
        let store = try bench.store()
        let request = PosterRequest(path, .poster(.w342))
        #expect(jobClass(store, request) == .newName)
        #expect(store.jobClass(of: request, isCached: true) == .live)
        let other = try bench.store()
        #expect(other.ask(PosterRequest(path, .poster(.w500))).picture != nil)
        #expect(jobClass(store, request) == .live)
        let prefetch = PosterRequest(path, .poster(.w342), priority: .background)
        #expect(jobClass(store, prefetch) == .background)
    }

    @Test func `a poster is known when a list has named it`() async throws {
        let store = try bench.store()
        let lists = ListStore(beside: store, log: .silent)
        let request = PosterRequest(Fixtures.posters[1], .poster(.w342))
        #expect(jobClass(store, request) == .newName)
        let list = try await lists.answer(ListRequest(list: "trending/movie/week"))
        let named = try FilmList(json: list.body).films.compactMap { try? $0.poster() }
        let path = try #require(named.first { store.tints.value(for: $0) == nil })
        while store.titles.title(of: path) == nil { store.readNewLists() }
        #expect(jobClass(store, PosterRequest(path, .poster(.w342))) == .live)
    }

    @Test func `pictures have the class of the dearest thing about them`() throws {
        let store = try bench.store()
        let seen = try ThumbnailVariant(width: 60, height: 90)
        #expect(store.ask(PosterRequest(path, .thumbnail(seen))).picture != nil)
        let new = try ThumbnailVariant(width: 61, height: 90)
        let large = try ThumbnailVariant(width: 2000, height: 3000)
        let free = try ThumbnailVariant(width: 2000, height: nil)
        for (jobClass, variants, bytes, expected) in [
            (JobClass.live, [], 100, JobClass.live), (.live, [seen], 100, .live),
            (.live, [new], 100, .newBox), (.live, [seen, new], 100, .newBox),
            (.live, [large], 100, .large), (.live, [seen], 2 << 20, .large),
            (.live, [free], 100, .large), (.newName, [], 100, .newName),
            (.newName, [new], 100, .newName), (.newName, [large], 100, .large),
            (.background, [large], 2 << 20, .background), (.background, [new], 1, .background),
        ] {
            #expect(
                store.pixelClass(jobClass, variants, sourceBytes: bytes) == expected,
                "\(jobClass) \(variants) \(bytes)")
        }
        // What another process made is seen, too.
        #expect(try bench.store().boxes.hasSeen(seen))
        #expect(try !bench.store().boxes.hasSeen(new))
    }

    @Test func `names never seen take their turn at the host behind all others`() {
        for jobClass in JobClass.allCases {
            let isLate = jobClass == .newName || jobClass == .background
            #expect(jobClass.priority == (isLate ? .background : .live))
        }
    }
}
