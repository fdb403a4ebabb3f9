import Amodb
import Testing

@testable import FixtureOrigin
@testable import PosterFetch
@testable import PosterImages
@testable import PosterKit

@Suite struct CutTests {
    /// How a body ends before its end.
    enum Cut: String, CaseIterable, Sendable {
        case short, untilClose, reset, chunk

        func fault(after bytes: Int) -> Fault {
            switch self {
            case .short: .short(after: bytes)
            case .untilClose: .cut(after: bytes)
            case .reset: .reset(after: bytes, withLength: false)
            case .chunk: .brokenChunks(.afterChunk, after: bytes)
            }
        }
    }

    @Test("a poster that is cut anywhere, in any way, is none", arguments: Cut.allCases)
    func cut(kind: Cut) throws {
        let path = Fixtures.posters[0]
        let whole = try Fixtures.bytes(path, .w185)
        let origin = try Origin(fixtures: Fixtures.folder)
        defer { origin.stop() }
        let place = "/t/p/w185\(path)"
        var transfer = Upstream.worker()
        var image = ImageWorker()
        var retries = RetryPolicy()
        retries.count = 0
        let fetcher = PosterFetcher(
            maxBytes: ImageLimits().bytes, timeout: .seconds(15), metrics: FetchMetrics(),
            retries: retries)
        // Each of the first and last bytes, and a few hundred between.
        let step = max(1, whole.count / 200)
        let middle = stride(from: 64, to: whole.count - 64, by: step)
        for length in Array(0..<64) + middle + (whole.count - 64..<whole.count) {
            origin.misbehave(at: place, kind.fault(after: length))
            let worked = Result { () throws(FetchError) in
                _ = try fetcher.fetch(
                    origin.base + place, nil, .live, HostGovernor(perSecond: 0), &transfer
                ) { bytes throws(FetchError) in
                    do throws(ImageError) {
                        return try image.verify(bytes, limits: ImageLimits())
                    } catch { throw FetchError(error) }
                }
            }
            guard case .failure = worked else {
                Issue.record("\(length) of \(whole.count) bytes passed")
                continue
            }
        }
        origin.behave(at: place)
        _ = try fetcher.fetch(
            origin.base + place, nil, .live, HostGovernor(perSecond: 0), &transfer
        ) {
            #expect($0 == whole)
        }
    }
}
