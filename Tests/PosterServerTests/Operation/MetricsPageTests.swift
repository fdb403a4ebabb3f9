import Foundation
import Testing

@testable import FixtureOrigin
@testable import PosterBase
@testable import PosterCache
@testable import PosterKit
@testable import PosterServer

@Suite struct MetricsPageTests {
    private let target = "/t/p/w342\(ServingTests.poster.path)"

    private func read(_ site: TestSite) throws -> ExpositionReader {
        try ExpositionReader(try site.get("/metrics").text)
    }

    @Test func `the page is well formed, at rest and after every kind of answer`() throws {
        let site = try TestSite()
        _ = try read(site)
        for target in [
            target, target, "\(target)?w=60&h=90", "/t/p/w342/null", "/t/p/w342/unknown.jpg",
            "/placeholder/60x90?title=x", "/3/trending/movie/week", "/", "/readyz", "/nowhere",
            "/t/p/w342/a.svg", "/thumb/1x1/abc.jpg?x=1",
        ] { _ = try site.get(target) }
        let page = try read(site)
        #expect(page["onesheet_cache_results_total{result=\"hit_memory\"}"] == 1)
        #expect(page["onesheet_cache_results_total{result=\"placeholder_missing\"}"] == 2)
        #expect(page["onesheet_http_rejects_total{reason=\"not_found\"}"] == 1)
        #expect(page["onesheet_http_rejects_total{reason=\"bad_parameter\"}"] == 1)
        #expect(page["onesheet_http_rejects_total{reason=\"bad_poster_path\"}"] == 1)
        let answered = page["onesheet_upstream_request_seconds_count{ending=\"answered\"}"]
        #expect(answered == 2)
        #expect(page["onesheet_upstream_requests_in_flight"] == 0)
        let length = Double(ServingTests.poster.bytes.count)
        #expect(page["onesheet_upstream_response_bytes_total"].map { $0 >= length } == true)
        #expect(page["onesheet_picture_work_seconds_count{work=\"verify\"}"] == 1)
        #expect(page["onesheet_picture_work_seconds_count{work=\"thumbnail\"}"] == 1)
    }

    @Test func `the page tells what the process uses, and each reason of readyz`() throws {
        let site = try TestSite()
        let page = try read(site)
        let ours = try #require(ProcessReading.now())
        let resident = page["process_resident_memory_bytes"] ?? 0
        #expect(resident > 1e6 && resident < Double(ours.residentBytes) * 2)
        #expect(page["process_threads"].map { $0 >= 2 } == true)
        #expect(page["process_cpu_seconds_total"].map { $0 <= ours.cpuSeconds } == true)
        #expect(page["process_max_fds"].map { $0 >= 64 } == true)
        let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        #expect((ours.openFiles ?? files) >= 3)
        let began = page["process_start_time_seconds"] ?? 0
        #expect(abs(began - Double(Timestamp.now().seconds)) < 3600)
        #expect(page["onesheet_trouble{reason=\"disk_full\"}"] == 0)
        site.origin.misbehave(
            at: target, .status(429, headers: [("Retry-After", "600")]), times: nil)
        _ = try site.get(target)
        #expect(try site.get("/readyz").status == 503)
        let paused = try read(site)
        #expect(paused["onesheet_trouble{reason=\"upstream_backing_off\"}"] == 1)
        #expect(paused["onesheet_upstream_backoff_seconds"].map { $0 > 500 } == true)
    }

    @Test func `nothing from outside becomes a label`() throws {
        let site = try TestSite()
        for target in ["/evil", "/t/p/evil/abc.jpg", "/thumb/9x9/evil.jpg?evil=evil"] {
            _ = try site.get(target, method: "GET", "X-Evil: evil")
            _ = try site.get(target, method: "EVIL")
        }
        _ = site.exchange("EVIL\r\n\r\n")
        let text = try site.get("/metrics").text
        #expect(!text.lowercased().contains("evil"))
        let labels = Set(try ExpositionReader(text).families.values.flatMap(\.labels.keys))
        let closed: Set<String> = [
            "route", "status", "reason", "phase", "outcome", "note", "ending", "le", "result",
            "work", "why", "op", "errno", "kind", "class", "version",
        ]
        #expect(labels.isSubset(of: closed), "\(labels.subtracting(closed))")
    }

    @Test func `every refusal on the wire is counted once, by its reason`() throws {
        let site = try TestSite({ $0.clientTokens = [Secret("token")] })
        let head = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        for request in [
            head + "Host: y\r\n\r\n", head + "Expect: x\r\n\r\n",
            head + "X: \(String(repeating: "a", count: 9000))\r\n\r\n",
            "PUT / HTTP/1.1\r\nHost: x\r\n\r\n", "GET * HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET /3/trending/movie/week HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        ] { _ = site.exchange(request) }
        let page = try read(site)
        for reason in [
            "bad_request", "expectation_failed", "method_not_allowed", "bad_target",
            "token_required", "head_too_large",
        ] { #expect(page["onesheet_http_rejects_total{reason=\"\(reason)\"}"] == 1, "\(reason)") }
    }

    @Test func `the cache is counted beside the answers, and the page says when`() throws {
        let site = try TestSite()
        _ = try site.get("\(target)?w=60&h=90")
        let before = try read(site)
        let first = before["onesheet_cache_counted_timestamp_seconds"]
        site.store.census.waitForCount()
        let page = try read(site)
        #expect(page["onesheet_cache_entries{kind=\"poster\"}"] == 1)
        #expect(page["onesheet_cache_entries{kind=\"thumbnail\"}"] == 1)
        let bytes = page["onesheet_cache_bytes{kind=\"poster\"}"]
        #expect(bytes.map { $0 > Double(ServingTests.poster.bytes.count) } == true)
        let taken = page["onesheet_cache_counted_timestamp_seconds"] ?? 0
        #expect(taken > 0 && (first == 0 || first == taken))
    }
}
