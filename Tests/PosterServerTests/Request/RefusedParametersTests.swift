import Testing
import TestSupport

@testable import FixtureOrigin
@testable import PosterServer

/// Queries that are refused, sent raw: each with the parameter that the answer must name.
@Suite struct RefusedParametersTests {
    static let values: [(name: String, values: [String])] = [
        (
            "w",
            [
                "0", "-1", "1.5", "1e3", "+5", "%2B5", "2001", "100000000000000000000", "NaN",
                "0x10",
                "", "%20", "5%20", "%205", "5+", "%D9%A1%D9%A2", "Infinity", "012", "null", "1,2",
                "5;h=5", "%00", "5%00", "%zz", "%", "%E2%82", "undefined", "w", "\"5\"",
            ]
        ),
        ("h", ["0", "-1", "2001", "1.0", "1_000", "", "%20", "abc"]),
        (
            "dpr",
            [
                "0", "0.99", "4.01", "5", "-1", "1e0", "+1", ".5", "1.", "1,5", "", "NaN", "inf",
                "1.5.1", "0x1", "11111111111111111111", "%31%2E", "2x", "%D9%A2",
            ]
        ),
        ("q", ["0", "101", "-1", "1.5", "", "high", "082", "1000"]),
        ("fit", ["fill", "COVER", "", "crop", "cover,contain", "cover%20"]),
        ("format", ["webp2", "JPEG", "jpg", "", "gif", "image/jpeg", "Auto"]),
        ("fallback", ["none", "", "404", "Placeholder"]),
        (
            "title",
            [
                "", "%", "%ff", "a%00b", "a%0Ab", "%1B%5B31m", "%C2%85",
                String(repeating: "a", count: 201), String(repeating: "%F0%9F%8E%AC", count: 201),
            ]
        ),
    ]

    static let others: [(query: String, named: String)] = [
        ("width=5", "\"width\""), ("W=5", "\"W\""), ("w[]=5", "\"w[]\""), ("%77=5", "\"%77\""),
        ("=5", "\"\""), ("=", "\"\""), ("&", "\"\""), ("w=5&", "\"\""), ("&w=5", "\"\""),
        ("w=5&&h=5", "\"\""), ("w", "\"w\""), ("w&h=5", "\"w\""), ("w=5&w=5", "w"),
        ("w=5&w=6", "w"), ("q=5&w=5&q=5", "q"), ("w=5;h=5", "w"), ("kind=missing", "\"kind\""),
        ("w=5&x=1", "\"x\""), ("w=5&callback=alert(1)", "\"callback\""), ("?w=5", "\"?w\""),
        ("w=5?h=5", "w"), ("utm_source=x", "\"utm_source\""), ("w=5&api_key=s", "\"api_key\""),
    ]

    @Test func `no refused parameter reaches disk or upstream, and each is named`() throws {
        let site = try TestSite()
        let before = site.directory.contents()
        var count = 0
        func expectRefusal(_ target: String, naming name: String) throws {
            count += 1
            let response = try site.get(target)
            #expect(response.status == 400, "\(target)")
            let escaped = name.replacing("\"", with: "\\\"")
            #expect(response.text.contains("parameter \(escaped)"), "\(target): \(response.text)")
            #expect(response.header("Content-Type") == "application/json")
            #expect(response.header("Cache-Control") == "no-store")
        }
        for (name, values) in Self.values {
            for value in values {
                try expectRefusal("/t/p/w342/abc.jpg?\(name)=\(value)", naming: name)
                if name != "w", name != "h" {
                    try expectRefusal("/thumb/9x9/abc.jpg?\(name)=\(value)", naming: name)
                }
            }
        }
        for (query, name) in Self.others {
            try expectRefusal("/t/p/w342/abc.jpg?\(query)", naming: name)
        }
        try expectRefusal("/t/p/w342/abc.jpg?w=2000&dpr=1.01", naming: "w, h with dpr")
        try expectRefusal("/t/p/w342/abc.jpg?h=2000&dpr=1.51", naming: "w, h with dpr")
        try expectRefusal("/thumb/1001x10/abc.jpg?dpr=2", naming: "{W}x{H} with dpr")
        try expectRefusal("/placeholder/9x9?kind=MISSING", naming: "kind")
        try expectRefusal("/placeholder/9x9?w=5", naming: "\"w\"")
        #expect(count >= 60)
        #expect(site.origin.totalRequests == 0)
        #expect(site.directory.contents() == before)
    }

    @Test func `a thousand parameters are refused`() throws {
        let site = try TestSite()
        let query = (0..<1000).map { "a\($0)" }.joined(separator: "&")
        #expect(try [400, 414].contains(site.get("/t/p/w342/abc.jpg?\(query)").status))
        #expect(site.origin.totalRequests == 0)
    }
}
