import Amodb
import Testing

@testable import FixtureOrigin
@testable import PosterBase
@testable import PosterCache
@testable import PosterKit
@testable import PosterObjectStore

@Suite struct SharedTierTests {
    private let bench = FleetBench()
    private let path = Fixtures.posters[1]
    private var request: PosterRequest { PosterRequest(path, .poster(.w342)) }
    private let day = Duration.seconds(86_400)

    @Test func `what upstream gave lies in the store as the plain image, sealed by its metadata`()
        throws
    {
        try bench.share(path, .w342)
        let bytes = try Fixtures.bytes(path, .w342)
        let object = try #require(bench.bucket.item(bench.object(path, .w342)))
        #expect(object.bytes == bytes)
        let request = try #require(bench.bucket.log.last)
        #expect(request.method == "PUT")
        #expect(request.header("content-type") == "image/jpeg")
        #expect(
            request.header("x-amz-meta-onesheet-key")
                == EntryKey.poster(path, .w342).description)
        #expect(
            request.header("x-amz-meta-onesheet-hash") == ContentHash(of: bytes).description)
        #expect(request.header("x-delete-after") == String(30 * 86_400))
        #expect(request.header("expect") == nil)
    }

    @Test func `requests are signed, and the secret is in none of them`() throws {
        try bench.share(path, .w342)
        #expect(bench.bucket.log.map(\.method) == ["GET", "PUT"])
        for request in bench.bucket.log {
            let signature = try #require(request.header("authorization"))
            #expect(signature.hasPrefix("AWS4-HMAC-SHA256 Credential=fixture-access/"))
            #expect(signature.contains("/us-east-1/s3/aws4_request"))
            #expect(request.header("x-amz-content-sha256") == "UNSIGNED-PAYLOAD")
            #expect(!request.headers.contains { $0.value.contains(FleetBench.secret) })
        }
    }

    @Test func `a session token goes along, and is signed`() throws {
        let node = try bench.node {
            $0.objectStore?.credentials = ObjectStoreCredentials(
                accessKey: BucketRoutes.accessKey, secretKey: Secret(FleetBench.secret),
                sessionToken: Secret("for-an-hour"))
        }
        _ = node.ask(request)
        #expect(node.finishSharing(within: .seconds(20)))
        #expect(bench.bucket.log.allSatisfy { $0.header("x-amz-security-token") == "for-an-hour" })
        #expect(node.storeMetrics.writes[.written] == 1)
    }

    @Test func `another node has it from there, with its age, and keeps it`() throws {
        try bench.share(path, .w342)
        bench.advance(by: day)
        let node = try bench.node()
        let answer = node.ask(request)
        #expect(answer.state == .fresh(.store, secondsLeft: 29 * 86_400))
        #expect(answer.ageSeconds == 86_400)
        #expect(answer.picture?.bytes == (try Fixtures.bytes(path, .w342)))
        #expect(answer.isStored)
        #expect(bench.requests(path, .w342) == 1)
        guard case .entry(let kept) = node.disk.read(.poster(path, .w342)) else {
            Issue.record("it is not on disk")
            return
        }
        #expect(kept.ageSeconds(now: node.clock.now()) == 86_400)
        #expect(kept.validators.entityTag != nil)
        #expect(node.ask(request).state.source == .memory)
        #expect(bench.bucket.log.count { $0.method == "GET" } == 2)
    }

    @Test func `a thumbnail is made from a poster out of the store`() throws {
        try bench.share(path, .w185)
        let node = try bench.node()
        let thumbnail = PosterRequest(path, .thumbnail(try .init(width: 120, height: 180)))
        #expect(node.ask(thumbnail).state.source == .store)
        #expect(bench.requests(path, .w185) == 1)
    }

    @Test func `connections to the store are used again`() throws {
        let node = try bench.node { $0.objectStore?.writers = 1 }
        for path in Fixtures.posters.prefix(4) {
            _ = node.ask(PosterRequest(path, .poster(.w342)))
            node.finishSharing(within: .seconds(20))
        }
        #expect(bench.bucket.totalRequests == 8)
        #expect(bench.bucket.acceptedConnections <= 2)
    }

    @Test func `an expired object is asked about upstream, and written again`() throws {
        try bench.share(path, .w342)
        bench.advance(by: day * 31)
        let node = try bench.node()
        #expect(node.ask(request).state == .fresh(.revalidated, secondsLeft: 30 * 86_400))
        node.finishSharing(within: .seconds(20))
        #expect(node.storeMetrics.reads[.expired] == 1)
        #expect(bench.upstream.log.last?.header("if-none-match") != nil)
        #expect(try bench.node().ask(request).state == .fresh(.store, secondsLeft: 30 * 86_400))
    }

    @Test func `an expired object stands in while upstream fails`() throws {
        try bench.share(path, .w342)
        bench.advance(by: day * 31)
        bench.upstream.goDown()
        let answer = try bench.node().ask(request)
        guard case .staleIfError = answer.state else {
            Issue.record("it is \(answer.state)")
            return
        }
        #expect(answer.picture?.bytes == (try Fixtures.bytes(path, .w342)))
    }

    @Test func `what another node renewed is taken instead of asking upstream`() throws {
        let node = try bench.node()
        _ = node.ask(request)
        node.finishSharing(within: .seconds(20))
        bench.advance(by: day * 31)
        try bench.share(path, .w342)
        let asked = bench.requests(path, .w342)
        bench.advance(by: day)
        #expect(node.ask(request).state == .fresh(.store, secondsLeft: 29 * 86_400))
        #expect(bench.requests(path, .w342) == asked)
    }

    @Test func `a poster that is gone for good is removed from the store, too`() throws {
        let node = try bench.node()
        _ = node.ask(request)
        node.finishSharing(within: .seconds(20))
        bench.advance(by: day * 31)
        bench.upstream.misbehave(at: "/t/p/*", .status(410))
        _ = node.ask(request)
        node.finishSharing(within: .seconds(20))
        #expect(bench.bucket.item(bench.object(path, .w342)) == nil)
        #expect(node.storeMetrics.writes[.deleted] == 1)
    }

    /// A way to spoil an object, and what it is counted as.
    struct Damage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let counted: ObjectStoreMetrics.Read
        let spoil: @Sendable (inout [UInt8], inout [(name: String, value: String)]) -> Void

        static let all = [
            Damage("a flipped bit", .body) { bytes, _ in bytes[bytes.count / 2] ^= 1 },
            Damage("a cut end", .body) { bytes, _ in bytes.removeLast(100) },
            Damage("no body", .body) { bytes, _ in bytes = [] },
            Damage("another poster's", .key) { _, headers in
                set("key", "posters/w342/zz/zzz.jpg", &headers)
            },
            Damage("another version", .seal) { _, headers in set("version", "2", &headers) },
            Damage("no hash", .seal) { _, headers in set("hash", nil, &headers) },
            Damage("no number", .seal) { _, headers in set("validated", "today", &headers) },
            Damage("no metadata at all", .seal) { _, headers in headers = [] },
            Damage("older than thirty days", .expired) { _, headers in
                set("validated", "1000000000000000000", &headers)
            },
            Damage("from the future", .expired) { _, headers in
                set("validated", "4000000000000000000", &headers)
            },
        ]

        private init(
            _ name: String, _ counted: ObjectStoreMetrics.Read,
            _ spoil:
                @escaping @Sendable (
                    inout [UInt8], inout [(name: String, value: String)]
                ) -> Void
        ) { (testDescription, self.counted, self.spoil) = (name, counted, spoil) }

        private static func set(
            _ name: String, _ value: String?, _ headers: inout [(name: String, value: String)]
        ) {
            headers.removeAll { $0.name.lowercased() == "x-amz-meta-onesheet-\(name)" }
            if let value { headers.append(("x-amz-meta-onesheet-\(name)", value)) }
        }
    }

    @Test(
        "an object that does not pass is a miss of its kind, and overwritten",
        arguments: Damage.all)
    func damage(_ damage: Damage) throws {
        try bench.share(path, .w342)
        let object = bench.object(path, .w342)
        var (bytes, headers) = try #require(bench.bucket.item(object))
        damage.spoil(&bytes, &headers)
        bench.bucket.put(object, bytes, headers: headers)
        let node = try bench.node()
        let answer = node.ask(request)
        #expect(answer.picture?.bytes == (try Fixtures.bytes(path, .w342)))
        #expect(answer.state.source != .store)
        #expect(node.storeMetrics.reads[damage.counted] == 1)
        #expect(node.finishSharing(within: .seconds(20)))
        #expect(bench.bucket.item(object)?.bytes == (try Fixtures.bytes(path, .w342)))
        #expect(try bench.node().ask(request).state == .fresh(.store, secondsLeft: 30 * 86_400))
        #expect(node.healthIssues().isEmpty)
    }
}
