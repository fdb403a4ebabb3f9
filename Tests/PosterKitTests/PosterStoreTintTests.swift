import Amodb
import Testing

@testable import FixtureOrigin

@testable import PosterImages
@testable import PosterKit

@Suite struct PosterStoreTintTests {
    private let bench = StoreBench()
    private let path = Fixtures.posters[0]

    @Test func `a cached poster has a tint, also after a restart, one that is not has none`() throws
    {
        let store = try bench.store()
        #expect(store.tint(of: path) == nil)
        _ = store.ask(PosterRequest(path, .poster(.w342)))
        let tint = try #require(store.tint(of: path))
        #expect(try bench.store().tint(of: path) == tint)
        #expect(bench.origin.totalRequests == 1)
    }

    @Test func `posters differ, renditions of one hardly`() throws {
        let store = try bench.store()
        var tints: Set<Tint> = []
        for path in Fixtures.posters {
            let small = try tint(path, .w185)
            let large = try tint(path, .w500)
            for (one, other) in [
                (small.red, large.red), (small.green, large.green), (small.blue, large.blue),
            ] {
                #expect(abs(Int(one) - Int(other)) <= 16)
            }
            tints.insert(small)
        }
        #expect(tints.count > Fixtures.posters.count / 2)
        store.close()
    }

    private func tint(_ path: PosterPath, _ size: PosterSize) throws -> Tint {
        var worker = ImageWorker()
        return try worker.tint(of: Fixtures.bytes(path, size), limits: ImageLimits())
    }
}
