import Amodb
import Testing

@testable import FixtureOrigin
@testable import PosterBase
@testable import PosterKit
@testable import PosterObjectStore

@Suite struct SharedTierFailureTests {
    private let bench = FleetBench()
    private let paths = Array(Fixtures.posters.prefix(6))

    /// A fault of the store, as what it is counted, and after how many posters it is left alone.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let fault: Fault
        let kind: StoreError.Kind
        let patience: Int

        init(_ name: String, _ fault: Fault, _ kind: StoreError.Kind, after patience: Int) {
            (testDescription, self.fault, self.kind, self.patience) = (name, fault, kind, patience)
        }

        static let all = [
            Case("silence", .hang(), .timeout, after: 3),
            Case("a body that drips", .drip(bytes: 1, every: .seconds(1)), .timeout, after: 3),
            Case("a reset", .refused, .broken, after: 3),
            Case("half a body", .short(after: 5000), .broken, after: 3),
            Case("no HTTP", .notHTTP(.garbage), .broken, after: 3),
            Case("500", .storeError(500, "InternalError"), .serverError, after: 3),
            Case("a piece", .partial, .unexpected, after: 3),
            Case("SlowDown", .storeError(503, "SlowDown"), .slowDown, after: 1),
            Case("a refused key", .storeError(403, "InvalidAccessKeyId"), .denied, after: 1),
            Case("a wrong secret", .storeError(403, "SignatureDoesNotMatch"), .denied, after: 1),
            Case("an ended token", .storeError(400, "ExpiredToken"), .denied, after: 1),
            Case("a wrong clock", .storeError(403, "RequestTimeTooSkewed"), .clockSkew, after: 1),
            Case("no bucket", .storeError(404, "NoSuchBucket"), .noBucket, after: 1),
            Case(
                "another region", .storeError(400, "AuthorizationHeaderMalformed"), .elsewhere,
                after: 1),
            Case("a redirect", .redirect(307, to: "http://127.0.0.1:1/"), .elsewhere, after: 1),
        ]
    }

    @Test("the store's failures cost its deadline and no answer", arguments: Case.all)
    func failure(_ fault: Case) throws {
        for path in paths { try bench.share(path, .w185) }
        bench.bucket.misbehave(at: "/films/*", fault.fault)
        let lines = Monitor<[String]>([])
        let node = try bench.node(log: Log { _, line in lines.withLock { $0.append(line) } }) {
            // What hangs is waited for; what answers must not be cut off on a slow machine.
            if fault.kind == .timeout { $0.objectStore?.deadline = .milliseconds(30) }
            $0.objectStore?.writeDeadline = .milliseconds(100)
        }
        for path in paths {
            let answer = node.ask(PosterRequest(path, .poster(.w185)))
            #expect(answer.picture?.bytes == (try Fixtures.bytes(path, .w185)))
            #expect(answer.state.source == .fetched)
        }
        #expect(node.storeMetrics.reads[.failed] == fault.patience)
        #expect(node.storeMetrics.reads[.skipped] == paths.count - fault.patience)
        #expect(node.storeMetrics.errors[fault.kind] >= fault.patience)
        let healthIssue = try #require(node.healthIssues().first)
        #expect(healthIssue.code == .storeFailing && !healthIssue.code.keepsTrafficAway)
        #expect(healthIssue.message.contains(fault.kind.rawValue))
        #expect(lines.withLock { $0 }.count { $0.contains("event=store_failing") } >= 1)
    }

    @Test func `a store that is not there at all is left alone, and used again when it is back`()
        throws
    {
        try bench.share(paths[5], .w185)
        bench.bucket.goDown()
        let node = try bench.node()
        for path in paths.prefix(4) {
            #expect(node.ask(PosterRequest(path, .poster(.w185))).state.source == .fetched)
        }
        #expect(node.storeMetrics.errors[.unreachable] >= 3)
        #expect(!node.healthIssues().isEmpty)
        try bench.bucket.comeBack()
        // The pause is not over.
        #expect(node.ask(PosterRequest(paths[4], .poster(.w185))).state.source == .fetched)
        bench.advance(by: StoreBreaker.firstPause)
        #expect(!node.healthIssues().isEmpty)
        #expect(node.ask(PosterRequest(paths[5], .poster(.w185))).state.source == .store)
        #expect(node.healthIssues().isEmpty)
    }

    @Test func `a key that may only read reads`() throws {
        try bench.share(paths[1], .w185)
        let node = try bench.node()
        let first = bench.object(paths[0], .w185)
        bench.bucket.hold(at: first)
        let pending = PendingAnswer(node, PosterRequest(paths[0], .poster(.w185)))
        #expect(bench.bucket.waitUntilHeld(first))
        // The look is under way; what comes next at this path is the write.
        bench.bucket.misbehave(
            at: first, .sequence([.normal, .storeError(403, "AccessDenied")]))
        bench.bucket.release(at: first)
        #expect(pending.wait().state.source == .fetched)
        #expect(node.finishSharing(within: .seconds(20)))
        #expect(node.storeMetrics.writes[.failed] == 1)
        #expect(node.healthIssues().first?.message.contains("written") == true)
        #expect(node.ask(PosterRequest(paths[1], .poster(.w185))).state.source == .store)
    }

    @Test func `what the store cannot take in time is dropped and counted, and no answer waits`()
        throws
    {
        let node = try bench.node {
            $0.objectStore?.writers = 1
            $0.objectStore?.queueLength = 2
        }
        // Looks go through; the first write is held.
        _ = node.ask(PosterRequest(paths[0], .poster(.w185)))
        #expect(node.finishSharing(within: .seconds(20)))
        let held = bench.object(paths[1], .w185)
        bench.bucket.misbehave(at: held, .sequence([.normal, .hang()]))
        for path in paths.dropFirst() {
            #expect(node.ask(PosterRequest(path, .poster(.w185))).state.source == .fetched)
        }
        #expect(node.storeMetrics.drops[.queueFull] == 3)
        #expect(node.load.store?.waiting == 2)
    }

    @Test func `bytes that wait are bounded, too`() throws {
        let bytes = try Fixtures.bytes(paths[0], .w185).count
        let node = try bench.node { $0.objectStore?.queueBytes = bytes - 1 }
        #expect(node.ask(PosterRequest(paths[0], .poster(.w185))).state.source == .fetched)
        #expect(node.storeMetrics.drops[.queueFull] == 1)
        #expect(bench.bucket.log.allSatisfy { $0.method == "GET" })
    }

    @Test func `closing waits for what is to be written, and no longer than it may`() throws {
        let node = try bench.node {
            $0.objectStore?.writers = 1
            $0.objectStore?.writeDeadline = .seconds(20)
        }
        bench.bucket.misbehave(
            at: bench.object(paths[0], .w185), .sequence([.normal, .hang()]))
        for path in paths.prefix(3) { _ = node.ask(PosterRequest(path, .poster(.w185))) }
        node.close()
        #expect(node.storeMetrics.drops[.closing] == 2)
        #expect(node.load.store?.waiting == 0)

        let other = try bench.node { $0.objectStore?.drain = .seconds(20) }
        _ = other.ask(PosterRequest(paths[4], .poster(.w185)))
        other.close()
        #expect(bench.bucket.item(bench.object(paths[4], .w185)) != nil)
    }

    @Test func `new credentials are used at once`() throws {
        try bench.share(paths[0], .w185)
        let node = try bench.node {
            $0.objectStore?.credentials = ObjectStoreCredentials(
                accessKey: "stranger", secretKey: Secret("s"))
        }
        #expect(node.ask(PosterRequest(paths[1], .poster(.w185))).state.source == .fetched)
        #expect(node.storeMetrics.errors[.denied] == 1)
        node.replaceStoreCredentials(try bench.settings().credentials)
        #expect(node.healthIssues().isEmpty)
        #expect(node.ask(PosterRequest(paths[0], .poster(.w185))).state.source == .store)
    }
}
