import Foundation
import Testing
import TestSupport

@testable import FixtureOrigin

@Suite struct StoreTests {
    private let upstream: Upstream
    private let store: SharedStore
    private let path: String

    init() throws {
        (upstream, store) = (try Upstream(), try SharedStore())
        path = try Upstream.trendingPaths()[0]
    }

    @Test func `what one machine fetched another has from the store`() throws {
        let poster = try Upstream.bytes("posters/w342\(path)")
        for _ in 0..<2 {
            let got = try store.node(of: upstream).run("get", "-o", "poster.jpg", path)
            #expect(got.status == 0, "\(got.messages)")
        }
        #expect(upstream.origin.requests(to: "/t/p/w342\(path)") == 1)
        #expect(store.origin.item("/films/posters/w342\(path)")?.bytes == poster)
    }

    @Test func `a prefetch shares what it fetches, and the next machine fetches nothing`() throws {
        let first = try store.node(of: upstream).run("prefetch", "--json", "--rate", "0")
        let fetched = try first.numbers("fetched")[0]
        #expect(fetched > 10)
        #expect(store.origin.log.count { $0.method == "PUT" } == fetched)
        let second = try store.node(of: upstream).run("prefetch", "--json", "--rate", "0")
        #expect(try second.numbers("fetched", "fresh", "failed") == [0, fetched, 0])
    }

    @Test func `the server says what came from the store, and how the store is`() throws {
        _ = try store.node(of: upstream).run("get", "-o", "poster.jpg", path)
        let server = try RunningServer(store.node(of: upstream))
        let answer = try server.get("/t/p/w342\(path)")
        #expect(answer.body == (try Upstream.bytes("posters/w342\(path)")))
        let metrics = String(decoding: try server.get("/metrics").body, as: UTF8.self)
        #expect(metrics.contains("onesheet_cache_results_total{result=\"hit_store\"} 1"))
        #expect(
            metrics.contains("onesheet_store_requests_total{op=\"read\",outcome=\"hit\"} 1"))

        store.origin.misbehave(at: "/films/*", .storeError(403, "RequestTimeTooSkewed"))
        #expect(try server.get("/t/p/w500\(path)").status == 200)
        let readiness = try server.get("/readyz")
        #expect(readiness.status == 200)
        let text = String(decoding: readiness.body, as: UTF8.self)
        #expect(text.contains("\"status\":\"ready\"") && text.contains("\"store_failing\""))
        #expect(text.contains("clock_skew"))
        #expect(try server.stop(SIGTERM) == 0)
        #expect(server.messages().contains("event=store_failing"))
        #expect(!server.messages().contains(SharedStore.secret))
    }

    @Test func `the keys are not to be seen from outside, and are reread`() throws {
        var program = store.node(of: upstream)
        let server = try RunningServer(program)
        let environment = try String(
            contentsOfFile: "/proc/\(server.running.process)/environ", encoding: .utf8)
        #expect(!environment.contains(SharedStore.secret))
        #expect(try server.stop(SIGTERM) == 0)

        func keys(_ access: String) -> [UInt8] {
            Array(
                "[default]\naws_access_key_id=\(access)\naws_secret_access_key=secret\n".utf8)
        }
        program.environment["ONESHEET_STORE_CREDENTIALS"] = "keys"
        try program.write("keys", keys("stranger"))
        let other = try RunningServer(program)
        _ = try other.get("/t/p/w342\(path)")
        #expect(try other.get("/readyz").body.count > 30)
        try program.write("keys", keys(BucketRoutes.accessKey))
        other.running.signal(SIGHUP)
        // The line is written when it is done; the loop is bounded by the test's own time.
        while !other.messages().contains("store_keys_reread") { sched_yield() }
        #expect(
            String(decoding: try other.get("/readyz").body, as: UTF8.self)
                == "{\"status\":\"ready\"}\n")
        #expect(try other.stop(SIGTERM) == 0)
    }

    @Test(
        "what is wrong with the options is said before anything is done",
        arguments: [
            (["ONESHEET_STORE": "films"], 78, "it must be s3://BUCKET/PREFIX"),
            (["AWS_SECRET_ACCESS_KEY": ""], 77, "set AWS_SECRET_ACCESS_KEY"),
            (["ONESHEET_STORE_CREDENTIALS": "nowhere"], 78, "cannot open"),
            (["ONESHEET_STORE_ENDPOINT": "ftp://x"], 78, "http"),
            (["ONESHEET_STORE_REGION": "eu west"], 78, "a region is one word"),
            (["ONESHEET_STORE_DEADLINE": "0"], 78, "from 1 to 60000"),
            (["ONESHEET_STORE_CA_FILE": "nowhere"], 78, "--store-ca-file"),
        ] as [([String: String], Int32, String)])
    func refused(environment: [String: String], status: Int32, words: String) throws {
        var program = store.node(of: upstream)
        program.environment.merge(environment) { $1 }
        let outcome = try program.run("get", "-o", "poster.jpg", path)
        #expect(outcome.status == status)
        #expect(outcome.messages.contains(words), "\(outcome.messages)")
        #expect(!outcome.messages.contains(SharedStore.secret))
        #expect(upstream.origin.totalRequests + store.origin.totalRequests == 0)
    }

    // The check.

    private func check(_ words: String...) throws -> BuiltProgram.Outcome {
        try store.node(of: upstream).run(["store", "check"] + words)
    }

    @Test func `a store that is set up well has five good lines`() throws {
        store.setRules(SharedStore.rule("posters/", days: 30))
        let outcome = try check()
        #expect(outcome.status == 0)
        #expect(
            outcome.lines.map { $0.prefix { $0 != " " } }
                == ["credentials", "bucket", "object", "rule", "clock"])
        #expect(outcome.lines.allSatisfy { $0.contains(" ok ") }, "\(outcome.text)")
        // Nothing is left of it.
        let probes = Set(store.origin.counts.keys.filter { $0.contains("/check/") })
        #expect(probes.count == 1)
        #expect(probes.allSatisfy { store.origin.item($0) == nil })
    }

    @Test(
        "each subject that is wrong is named, and the exit code is 1",
        arguments: [
            ("", "rule", "for ever"), (SharedStore.rule("other/", days: 30), "rule", "none ends"),
            (SharedStore.rule("posters/", days: 30, status: "Disabled"), "rule", "none ends"),
        ])
    func wrongRule(rules: String, subject: String, words: String) throws {
        if !rules.isEmpty { store.setRules(rules) }
        let outcome = try check("--json")
        #expect(outcome.status == 1)
        let json = try outcome.json()
        #expect(json["ok"] as? Bool == false)
        let findings = try #require(json["findings"] as? [[String: String]])
        let bad = findings.filter { $0["verdict"] == "bad" }
        #expect(bad.map { $0["subject"] } == [subject])
        #expect(bad.first?["detail"]?.contains(words) == true, "\(outcome.text)")
    }

    @Test(
        "an answer of the store is told of where it belongs",
        arguments: [
            (.storeError(403, "SignatureDoesNotMatch"), "credentials"),
            (.storeError(404, "NoSuchBucket"), "bucket"),
            (.storeError(403, "AccessDenied"), "bucket"),
            (.storeError(400, "AuthorizationHeaderMalformed"), "bucket"),
            (.status(503), "bucket"), (.refused, "bucket"),
        ] as [(Fault, String)])
    func wrongAnswer(fault: Fault, subject: String) throws {
        store.origin.misbehave(at: "/films", fault)
        let outcome = try check()
        #expect(outcome.status == 1)
        let bad = outcome.lines.filter { $0.contains(" bad ") }
        #expect(bad.count == 1 && bad[0].hasPrefix(subject), "\(outcome.text)")
        #expect(outcome.text.contains("not looked at"))
    }

    @Test func `a check without a store, or of nothing, is a mistake in the command line`() throws {
        let none = try upstream.program().run("store", "check")
        #expect(none.status == 64 && none.messages.contains("--store"))
        #expect(try store.node(of: upstream).run("store").status == 64)
        #expect(try store.node(of: upstream).run("store", "fill").status == 64)
    }
}
