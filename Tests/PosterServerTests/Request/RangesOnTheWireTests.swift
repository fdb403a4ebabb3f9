import Testing
import TestSupport

@testable import FixtureOrigin
@testable import PosterServer

/// Ranges over a socket, of a poster that the cache holds: each row on a connection of its own.
@Suite struct RangesOnTheWireTests {
    private enum Expected {
        case part(Range<Int>)
        case unsatisfiable
        case whole
    }

    /// For a body of `n` bytes: the `Range` field, and what it gives.
    private static func rows(_ n: Int) -> [(String, Expected)] {
        let parts: [(String, Range<Int>)] = [
            ("bytes=0-0", 0..<1), ("bytes=0-499", 0..<500), ("bytes=500-999", 500..<1000),
            ("bytes=5-", 5..<n), ("bytes=0-", 0..<n), ("bytes=-1", n - 1..<n),
            ("bytes=-500", n - 500..<n), ("bytes=-\(n)", 0..<n), ("bytes=-\(n + 1)", 0..<n),
            ("bytes=0-999999999", 0..<n), ("bytes=\(n - 1)-", n - 1..<n),
            ("bytes=\(n - 1)-\(n - 1)", n - 1..<n), ("bytes=\(n - 1)-\(n)", n - 1..<n),
            ("bytes=0-18446744073709551616", 0..<n), ("bytes=-18446744073709551616", 0..<n),
            ("bytes=7-99999999999999999999999999", 7..<n), ("Bytes=1-2", 1..<3),
            ("bytes= 1-2", 1..<3), ("bytes=1-2 \t ", 1..<3), ("bytes=001-002", 1..<3),
        ]
        let unsatisfiable = [
            "bytes=\(n)-", "bytes=\(n)-\(n)", "bytes=\(n + 1)-\(n + 9)", "bytes=-0", "bytes=-000",
            "bytes=18446744073709551615-", "bytes=18446744073709551616-18446744073709551617",
        ]
        let whole = [
            "bytes=5-2", "x", "", "bytes", "bytes=", "bytes=-", "bytes=x-y", "bytes=1-y",
            "bytes=--1", "bytes=-1-2", "bytes=1-2-3", "bytes=+1-2", "bytes=1.5-2", "bytes=0x1-2",
            "bytes=1e1-20", "bytes=0-0,5-5", "bytes=0-9,5-19", "bytes=0-0,", "bytes=,1-2",
            "items=0-1", "seconds=1-2", "0-1", "=0-1", "bytes:0-1", "bytes=0-1;q=1", "bytes==0-1",
            "bytes=" + Array(repeating: "0-0", count: 1000).joined(separator: ","),
        ]
        return parts.map { ($0.0, .part($0.1)) } + unsatisfiable.map { ($0, .unsatisfiable) }
            + whole.map { ($0, .whole) }
    }

    private static let target = "/t/p/w342\(ServingTests.poster.path)"

    @Test func `each spelling of a range gives its part, 416 or the whole`() throws {
        let site = try TestSite()
        let body = try site.get(Self.target).body
        let disk = site.directory.contents()
        let rows = Self.rows(body.count)
        #expect(rows.count >= 40)
        for (field, expected) in rows {
            let response = try site.get(Self.target, "Range: \(field)")
            switch expected {
            case .part(let range):
                #expect(response.status == 206, "\(field)")
                #expect(response.body == Array(body[range]), "\(field)")
                let shown = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(body.count)"
                #expect(response.header("Content-Range") == shown)
                #expect(response.header("Content-Length") == String(range.count))
            case .unsatisfiable:
                #expect(response.status == 416, "\(field)")
                #expect(response.header("Content-Range") == "bytes */\(body.count)")
            case .whole:
                #expect(response.status == 200, "\(field)")
                #expect(response.body == body, "\(field)")
                #expect(response.header("Content-Range") == nil)
            }
        }
        #expect(site.origin.totalRequests == 1)
        #expect(site.directory.contents() == disk)
    }

    @Test func `HEAD and what If-Range does not name give the whole`() throws {
        let site = try TestSite()
        let first = try site.get(Self.target)
        let head = try site.get(Self.target, method: "HEAD", "Range: bytes=0-9")
        #expect(head.status == 200)
        #expect(head.header("Content-Length") == String(first.body.count))
        let (tag, date) = (
            try #require(first.header("ETag")), try #require(first.header("Last-Modified"))
        )
        // A poster of this very second: its date is no strong validator yet.
        for (field, status) in [
            (tag, 206), ("W/\(tag)", 200), ("\"other\"", 200), ("x", 200), ("*", 200),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 200), ("\(tag), \(tag)", 200), ("", 200),
        ] {
            let response = try site.get(Self.target, "Range: bytes=0-9", "If-Range: \(field)")
            #expect(response.status == status, "\(field)")
        }
        let dated = try site.get(Self.target, "Range: bytes=0-9", "If-Range: \(date)")
        #expect([200, 206].contains(dated.status))
    }
}
