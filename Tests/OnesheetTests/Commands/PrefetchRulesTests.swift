import Amodb
import PosterImages
import PosterKit
import Testing

@testable import PosterFetch
@testable import onesheet

@Suite struct PrefetchRulesTests {
    @Test(
        "a pause is waited out for 30 s at most, and twice",
        arguments: [
            ([7], [7]), ([30], [30]), ([31], [nil]), ([0, 0, 0], [0, 0, nil]),
            ([nil], [5]), ([10, 3600, 10, 10], [10, nil, 10, nil]), ([-5], [0]),
        ] as [([Int?], [Int?])])
    func patience(asked: [Int?], waited: [Int?]) {
        var patience = Patience()
        let waits = asked.map { patience.wait(forSeconds: $0) }
        #expect(waits == waited.map { $0.map { .seconds($0) } })
    }

    @Test(
        "a size that no wanted one covers is added, the largest first",
        arguments: [
            ([.w342], [], [.w342]), ([.w342], [(60, 90)], [.w342]),
            ([.w185], [(120, 180), (400, 600), (200, 300)], [.w185, .w500]),
            ([.w500, .w185], [(200, 300)], [.w500, .w185]),
        ] as [([PosterSize], [(Int, Int)], [PosterSize])])
    func addedSizes(sizes: [PosterSize], boxes: [(Int, Int)], expected: [PosterSize]) throws {
        let variants = try boxes.map { try ThumbnailVariant(width: $0.0, height: $0.1) }
        let plan = PrefetchPlan(sizes: sizes, variants: variants)
        #expect(plan.sizes == expected)
        #expect(plan.count == expected.count + boxes.count)
    }

    @Test func `every picture is asked for once, thumbnails where their poster is`() throws {
        let path = try PosterPath("/a.jpg")
        let small = try ThumbnailVariant(width: 60, height: 90)
        let large = try ThumbnailVariant(width: 400, height: 600)
        let plan = PrefetchPlan(
            sizes: [.w342, .w500], variants: [small, large], namesPosters: false)
        let first = plan.firstWishes(for: path)
        #expect(
            first.map(\.rendition) == [.thumbnail(large), .poster(.w342), .poster(.w500)])
        #expect(first.allSatisfy { $0.priority == .background && !$0.drawsPlaceholder })
        #expect(plan.requests(after: .w342, of: path).map(\.rendition) == [.thumbnail(small)])
        #expect(plan.requests(after: .w500, of: path) == [])
    }

    @Test func `a store is told which poster to fetch for a thumbnail, and asked at once`() throws {
        let path = try PosterPath("/a.jpg")
        let small = try ThumbnailVariant(width: 60, height: 90)
        let large = try ThumbnailVariant(width: 400, height: 600)
        let plan = PrefetchPlan(sizes: [.w342, .w500], variants: [small, large])
        let first = plan.firstWishes(for: path)
        #expect(
            first.map(\.rendition) == [
                .thumbnail(small), .thumbnail(large), .poster(.w342), .poster(.w500),
            ])
        #expect(first.map(\.fetchedSize) == [.w342, .w500, nil, nil])
        #expect(plan.requests(after: .w342, of: path) == [])
    }

    @Test func `a poster that fails takes its thumbnails with it in one row`() throws {
        let path = try PosterPath("/a.jpg")
        let variants = [
            try ThumbnailVariant(width: 60, height: 90),
            try ThumbnailVariant(width: 90, height: 90),
        ]
        let plan = PrefetchPlan(sizes: [.w185], variants: variants)
        var ledger = PrefetchLedger(plan)
        let error = FetchError(.notAnImage, "starts with 3c")
        let failed = Answer(picture: nil, state: .absent(.failed(error)), isStored: false)
        for request in plan.firstWishes(for: path) {
            #expect(ledger.settle(request, .init(answer: failed, bytes: 0)) == [])
        }
        #expect(ledger.done == 3)
        #expect(
            ledger.report.failures == [
                PrefetchFailure("/a.jpg", rendition: "w185", "not_an_image", "starts with 3c")
            ])
        #expect(ledger.report.exitCode == .someFailed)
    }

    @Test func `a disk that takes nothing ends it after a while`() throws {
        let plan = PrefetchPlan(sizes: [.w185], variants: [])
        var ledger = PrefetchLedger(plan)
        let unstored = Answer(
            picture: nil, state: .fresh(.fetched, secondsLeft: 1), isStored: false)
        for number in 1...16 {
            #expect(ledger.report.cause == nil)
            let request = PosterRequest(try PosterPath("/p\(number).jpg"), .poster(.w185))
            #expect(ledger.settle(request, .init(answer: unstored, bytes: 0)) == [])
        }
        #expect(ledger.report.cause == .notStored)
        #expect(ledger.report.exitCode == .ioError)
        #expect(ledger.report.failures.allSatisfy { $0.reason == "not_stored" })
    }

    @Test(
        "the end decides the exit code",
        arguments: [
            (nil, 0), (.stopped(signal: 2), 130), (.backedOff(retryAfterSeconds: 60), 75),
            (.unavailable("dns"), 69), (.notStored, 74), (.list(.keyRefused), 77),
            (.list(.planEnded), 77), (.list(.keyMissing), 77), (.list(.status(500)), 69),
            (.list(.rateLimited(retryAfterSeconds: 60)), 75), (.list(.invalid("x")), 69),
            (.list(.unreachable(FetchError(.dns, ""))), 69),
        ] as [(PrefetchReport.EarlyEnd?, Int32)])
    func exitCodes(cause: PrefetchReport.EarlyEnd?, status: Int32) {
        var report = PrefetchReport()
        report.cause = cause
        #expect(report.exitCode.status == status)
        #expect((report.endingMessage == nil) == (cause == nil))
    }

    @Test func `the same film in two lists is one, with or without a poster`() throws {
        var selection = PosterSelection()
        let json = #"[{"id":1,"poster_path":"/a.jpg"},{"id":2},{"id":3,"poster_path":"/a.jpg"}]"#
        for _ in 0..<2 { try selection.add(file: Array(json.utf8)) }
        #expect(selection.paths.map(\.description) == ["/a.jpg"])
        #expect(selection.noPoster == 1)
        #expect(selection.failures == [])
    }
}
