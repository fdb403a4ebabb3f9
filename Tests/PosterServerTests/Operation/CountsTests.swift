import Amodb
import Foundation
import Testing
import TestSupport

@testable import FixtureOrigin
@testable import PosterCache
@testable import PosterHTTP
@testable import PosterKit
@testable import PosterServer

/// What operators count on: that each event raises its own number on the page, and no other.
@Suite struct CountsTests {
    private static let file = ServingTests.poster.path
    private static let target = "/t/p/w342\(file)"

    private static func page(_ site: TestSite) throws -> ExpositionReader {
        try ExpositionReader(try site.get("/metrics").text)
    }

    /// Asks so that the store has to look, and on disk.
    private static func askDisk(_ site: TestSite) throws -> Response {
        site.store.memory.remove(.poster(try #require(try PosterPath.parse(file)), .w342))
        return try site.get(target, method: "GET", "If-None-Match: \"another\"")
    }

    /// The results that were counted, by their names.
    private static func results(_ site: TestSite) throws -> [String: Double] {
        let family = try #require(try page(site).families["onesheet_cache_results_total"])
        let pairs = family.series.filter { $0.value > 0 }.map { series, count in
            (String(series.split(separator: "\"")[1]), count)
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    @Test func `each source of a picture has its count`() throws {
        let site = try TestSite()
        _ = try site.get(Self.target)
        #expect(try Self.results(site) == ["miss": 1])
        _ = try site.get(Self.target)
        _ = try Self.askDisk(site)
        #expect(try Self.results(site) == ["miss": 1, "hit_memory": 1, "hit_disk": 1])
        _ = try site.get("/t/p/w342/null")
        _ = try site.get("/thumb/60x90/null?fallback=error")
        site.origin.misbehave(at: "/t/p/*", .html)
        _ = try site.get("/t/p/w500\(Self.file)")
        _ = try site.get("/t/p/w500/nosuch.jpg", method: "HEAD")
        let expected: [String: Double] = [
            "miss": 1, "hit_memory": 1, "hit_disk": 1, "derived": 1, "placeholder_missing": 2,
            "placeholder_unavailable": 1,
        ]
        #expect(try Self.results(site) == expected)
        let page = try Self.page(site)
        #expect(page["onesheet_upstream_errors_total{reason=\"not_an_image\"}"] == 2)
        #expect(page["onesheet_decode_rejects_total{reason=\"format\"}"] == 2)
        #expect((page["onesheet_jpeg_fast_decodes_total"] ?? 0) > 0)
        #expect(page["onesheet_jpeg_fallbacks_total{reason=\"data\"}"] == 0)
        #expect(page["onesheet_http_requests_total{route=\"poster\",status=\"200\"}"] == 6)
        #expect(page["onesheet_http_requests_total{route=\"thumbnail\",status=\"404\"}"] == 1)
    }

    @Test func `an expired picture has its count, renewed or not`() throws {
        let site = try TestSite({ _ in }, store: { $0.maxAge = .zero })
        _ = try site.get(Self.target)
        _ = try site.get(Self.target)
        site.origin.misbehave(at: Self.target, .html)
        _ = try site.get(Self.target)
        #expect(try Self.results(site) == ["miss": 2, "stale": 1])
        let page = try Self.page(site)
        #expect(page["onesheet_upstream_requests_total{outcome=\"fetched\"}"] == 1)
        #expect(page["onesheet_upstream_requests_total{outcome=\"revalidated\"}"] == 1)
    }

    @Test func `what is under way shows while it is`() throws {
        let site = try TestSite({ $0.deadline = .seconds(25) })
        site.origin.hold(at: Self.target)
        let client = RawClient(port: site.server.port)
        client.send("GET \(Self.target) HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(site.origin.waitUntilHeld(Self.target))
        let during = try Self.page(site)
        #expect(during["onesheet_upstream_requests_in_flight"] == 1)
        #expect(during["onesheet_jobs_running{kind=\"fetch\"}"] == 1)
        #expect(during["onesheet_http_connections{phase=\"working\"}"] == 2)
        site.origin.release(at: Self.target)
        #expect(client.receiveResponse()?.status == 200)
        while try Self.page(site)["onesheet_upstream_requests_in_flight"] != 0 {}
    }

    @Test(
        "an entry that does not pass is counted by what is wrong with it",
        arguments: ["empty", "torn", "body", "key", "foreign"])
    func badEntry(why: String) throws {
        let site = try TestSite()
        #expect(try site.get(Self.target).status == 200)
        let shard = Self.file.dropFirst().prefix(2)
        let file = "\(site.directory.path)/cache/posters/w342/\(shard)\(Self.file)"
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
        switch why {
        case "empty": bytes = []
        case "torn": bytes.removeLast(7)
        case "body": bytes[bytes.count / 2] ^= 1
        case "key":
            #expect(try site.get("/t/p/w500\(Self.file)").status == 200)
            let other = file.replacingOccurrences(of: "w342", with: "w500")
            bytes = [UInt8](try Data(contentsOf: URL(filePath: other)))
        default: bytes = []
        }
        try FileManager.default.removeItem(atPath: file)
        if why == "foreign" {
            try FileManager.default.createDirectory(
                atPath: file, withIntermediateDirectories: false)
        } else {
            try Data(bytes).write(to: URL(filePath: file))
        }
        #expect(try Self.askDisk(site).body == ServingTests.poster.bytes)
        let family = try Self.page(site).families["onesheet_cache_bad_entries_total"]
        let counted = try #require(family).series.filter { $0.value > 0 }.map(\.key)
        #expect(counted == ["onesheet_cache_bad_entries_total{why=\"\(why)\"}"])
    }

    @Test func `a failing disk is counted by call and errno, and the poster is served`() throws {
        let site = try TestSite()
        let folder = "\(site.directory.path)/cache/posters/w342"
        try Data().write(to: URL(filePath: folder))
        let answer = try site.get(Self.target)
        #expect(answer.body == ServingTests.poster.bytes)
        #expect(answer.header("Cache-Status")?.contains("stored") == false)
        let family = try #require(try Self.page(site).families["onesheet_disk_errors_total"])
        #expect(family.labels["errno"] == ["ENOTDIR"])
        #expect(family.labels["op"]?.isEmpty == false)
    }
}
