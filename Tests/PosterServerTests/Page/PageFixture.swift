import Foundation
import Testing

@testable import Amodb
@testable import PosterBase
@testable import PosterImages
@testable import PosterKit
@testable import PosterLists
@testable import PosterServer

/// A trending page over lists that a test writes down, and what it was asked for.
struct PageFixture {
    /// 2026-11-30T00:00:00Z
    static let now = Timestamp(seconds: 1795_996_800)

    let page: TrendingPage
    let asked = Monitor<[Asked]>([])

    struct Asked: Equatable {
        var request: String
        var mayBeOld: Bool
    }

    /// `cached` lies on disk, `upstream` is what asking gives.
    init(
        cached: ListAnswer? = nil, upstream: Result<ListAnswer, ListError> = .failure(.keyMissing),
        tint: Tint? = nil
    ) {
        page = TrendingPage(
            lists: PageLists(
                cached: { _ in cached },
                answer: { [asked] request, mayBeOld, reply in
                    asked.withLock {
                        $0.append(
                            Asked(request: "\(request.path)?\(request.query)", mayBeOld: mayBeOld))
                    }
                    reply(upstream)
                }, tint: { _ in tint }))
    }

    /// What the page answers to a target such as `/?list=tv`.
    func get(
        _ target: String, acceptLanguage: String? = nil, cookie: String? = nil
    ) -> PageAnswer {
        let halves = target.split(separator: "?", maxSplits: 1).map(String.init)
        let slot = Monitor<PageAnswer?>(nil)
        page.answer(
            PageRequest(
                path: halves[0], query: halves.count > 1 ? halves[1] : "",
                acceptLanguage: acceptLanguage, cookie: cookie), now: Self.now
        ) { answer in
            slot.withLock { $0 = answer }
            slot.notifyAll()
        }
        return slot.wait { $0 }
    }
}

extension PageAnswer {
    /// The body as text.
    var text: String { String(decoding: body, as: UTF8.self) }

    /// What `data-state` says.
    var state: String? {
        text.firstMatch(of: /data-state="([a-z]+)"/).map { String($0.1) }
    }
}

extension ListAnswer {
    /// An answer with this JSON.
    static func json(
        _ json: String, status: Int = 200, source: Source = .cache, ageSeconds: Int = 0
    ) -> ListAnswer {
        ListAnswer(
            status: status, contentType: "application/json", body: Array(json.utf8),
            source: source, ageSeconds: ageSeconds, secondsLeft: max(0, 1800 - ageSeconds))
    }

    /// Films in which everything is that may be missing or hostile.
    static let films = json(
        #"""
        {"page": 1, "results": [
          {"id": 1, "title": "Stalker", "release_date": "1979-05-25", "poster_path": "/stalker.jpg",
           "vote_average": 8.149, "media_type": "movie"},
          {"id": 2, "title": "<script>alert(1)</script>", "release_date": "",
           "poster_path": "/a\" onerror=\"x.jpg", "vote_average": 0.0},
          {"id": 3, "title": null, "poster_path": null},
          {"id": 4, "name": "كفرناحوم", "first_air_date": "2018-09-20", "poster_path": "/k.jpg",
           "vote_average": 10, "media_type": "tv"},
          {"no": "film"}
        ]}
        """#)
}
