import Amodb
import PosterBase
import PosterKit
import Testing

@testable import FixtureOrigin
@testable import PosterObjectStore
@testable import PosterServer

@Suite struct SharedStoreReplyTests {
    @Test func `a picture from the shared store is a hit that says so, with its age`() throws {
        let bucket = try Origin(bucket: "films")
        defer { bucket.stop() }
        var settings = try ObjectStoreSettings(
            try ObjectStoreLocation("s3://films"),
            ObjectStoreCredentials(accessKey: BucketRoutes.accessKey, secretKey: Secret("s")),
            endpoint: try BaseURL(bucket.base))
        settings.deadline = .seconds(20)
        let path = "/t/p/w342\(ServingTests.poster.path)"
        let first = try TestSite(store: { $0.objectStore = settings })
        #expect(
            try first.get(path).header("Cache-Status")
                == "onesheet; fwd=miss; fwd-status=200; stored")
        #expect(first.store.finishSharing(within: .seconds(20)))
        let second = try TestSite(store: { $0.objectStore = settings })
        let answer = try second.get(path)
        #expect(answer.header("Cache-Status") == "onesheet; hit; detail=store")
        #expect(answer.header("Age") == nil)
        #expect(second.origin.totalRequests == 0)
        #expect(try second.get(path).header("Cache-Status") == "onesheet; hit")
    }

    @Test func `a store that fails is told of, and keeps nobody away`() throws {
        let healthIssue = HealthIssue(.storeFailing, "because")
        #expect(Readiness.reply([healthIssue]).status == 200)
        #expect(Readiness.reply([healthIssue, HealthIssue(.diskFull, "x")]).status == 503)
    }
}
