import Testing

@testable import FixtureOrigin
@testable import PosterBase
@testable import PosterFetch
@testable import PosterKit
@testable import PosterObjectStore

/// What the stand-in of the command's tests cannot play: stores without rules, and clocks.
@Suite struct StoreCheckTests {
    private let bench = FleetBench()
    private let month = Duration.seconds(30 * 86_400)

    private func finding(
        _ subject: StoreCheck.Subject, pause: @escaping @Sendable (Duration) -> Void = { _ in }
    ) throws -> StoreCheck.Finding? {
        StoreCheck.run(try bench.settings(), maxAge: month, pause: pause)
            .first { $0.subject == subject }
    }

    @Test(
        "a store without rules is asked to delete by itself, and is right if it does",
        arguments: [(true, .ok), (false, .bad)] as [(Bool, StoreCheck.Verdict)])
    func deleteAfter(isObeyed: Bool, verdict: StoreCheck.Verdict) throws {
        // OpenStack Swift answers with a listing, as if nobody had asked for rules.
        bench.bucket.put(
            "/films?lifecycle=", Array("<ListBucketResult></ListBucketResult>".utf8))
        let bucket = bench.bucket
        let finding = try finding(.rule) { _ in
            let due = bucket.log.last { $0.header("x-delete-after") == "1" }
            if isObeyed, let due { bucket.remove(due.path) }
        }
        #expect(finding?.verdict == verdict)
        #expect(finding?.detail.contains("X-Delete-After") == true)
    }

    @Test(
        "of several rules the first to end our objects counts",
        arguments: [
            ([("", 40, "")], .ok, "after 40 days"),
            ([("posters/", 30, ""), ("", 60, "")], .ok, "after 30 days"),
            ([("post", 7, "")], .ok, "sooner"),
            ([("posters/w342", 30, "")], .bad, "none ends"),
            ([("", 30, "<Tag><Key>a</Key><Value>b</Value></Tag>")], .bad, "none ends"),
        ] as [([(String, Int, String)], StoreCheck.Verdict, String)])
    func rules(
        rules: [(prefix: String, days: Int, filter: String)], verdict: StoreCheck.Verdict,
        words: String
    ) throws {
        let text = rules.map {
            "<Rule><Filter><Prefix>\($0.prefix)</Prefix>\($0.filter)</Filter>"
                + "<Status>Enabled</Status><Expiration><Days>\($0.days)</Days></Expiration></Rule>"
        }.joined()
        let whole = "<LifecycleConfiguration>\(text)</LifecycleConfiguration>"
        bench.bucket.put("/films?lifecycle=", Array(whole.utf8))
        let finding = try finding(.rule)
        #expect(finding?.verdict == verdict)
        #expect(finding?.detail.contains(words) == true, "\(finding?.detail ?? "")")
    }

    @Test(
        "a clock is told by the store's date",
        arguments: [(-7200, .bad, "7200 s behind"), (-100, .ok, "100 s behind"), (0, .ok, "agree")]
            as [(Int, StoreCheck.Verdict, String)])
    func clock(seconds: Int, verdict: StoreCheck.Verdict, words: String) throws {
        let now = Timestamp.now()
        let date = HTTPDate.format(now + .seconds(seconds))
        let response = FetchResponse(status: 200, headers: [("date", date)], body: [])
        let lead = try #require(StoreAnswer.lead(response, now: now))
        let finding = StoreCheck.judge(lead)
        #expect(finding.verdict == verdict)
        #expect(finding.detail.contains(words), "\(finding.detail)")
    }
}
