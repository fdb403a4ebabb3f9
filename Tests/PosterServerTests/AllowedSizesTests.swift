import Testing
import TestSupport

@testable import FixtureOrigin
@testable import PosterServer

/// What strangers can make the cache hold: with a list of sizes only those, and without one as
/// many variants as there are pictures, not spellings.
@Suite struct AllowedSizesTests {
    private static let file = ServingTests.poster.path

    private static func site() throws -> TestSite {
        try TestSite({
            $0.allowedBoxes = [
                AllowedBox(width: 120, height: 180), AllowedBox(width: 240, height: 360),
                AllowedBox(width: 100, height: nil),
            ]
        })
    }

    @Test func `with a list of sizes, no other thumbnail reaches disk or upstream`() throws {
        let site = try Self.site()
        let before = site.directory.contents()
        let thumbs = [
            "121x180", "120x181", "60x90", "240x180", "120x180?dpr=3", "120x180?dpr=1.5",
            "180x120", "100x150", "2000x2000",
        ].map { "/thumb/" + $0.replacing("?", with: "\(Self.file)?") }
        for target in thumbs.map({ $0.contains(Self.file) ? $0 : $0 + Self.file }) {
            let refused = try site.get(target)
            #expect(refused.status == 400, "\(target)")
            #expect(refused.text.contains("parameter {W}x{H} with dpr: "), "\(refused.text)")
        }
        for query in [
            "w=121", "h=181", "w=60&h=90", "w=120&h=360", "w=120&dpr=4", "w=100&h=150", "h=150",
            "w=2000", "h=2000", "dpr=2", "w=342&h=513", "w=50&dpr=1",
        ] {
            let refused = try site.get("/t/p/w342\(Self.file)?\(query)")
            #expect(refused.status == 400, "\(query)")
            #expect(refused.text.contains("parameter w, h with dpr: "), "\(refused.text)")
        }
        #expect(site.origin.totalRequests == 0)
        #expect(site.directory.contents() == before)
    }

    @Test func `with a list of sizes, those and the posters' own are made`() throws {
        let site = try Self.site()
        for target in [
            "/thumb/120x180\(Self.file)", "/thumb/60x90\(Self.file)?dpr=2",
            "/thumb/120x180\(Self.file)?dpr=2&q=82", "/thumb/120x180\(Self.file)?fit=contain",
            "/t/p/w342\(Self.file)", "/t/p/w342\(Self.file)?w=120&h=180",
            "/t/p/w342\(Self.file)?w=120", "/t/p/w342\(Self.file)?h=180&dpr=2",
            "/t/p/w342\(Self.file)?w=100", "/t/p/w342\(Self.file)?w=50&dpr=2",
            "/t/p/w342\(Self.file)?format=webp", "/t/p/w342\(Self.file)?q=82",
            "/thumb/120x180\(Self.file)?format=png&q=10",
            "/t/p/w342/null?w=120&h=180", "/placeholder/77x77",
        ] {
            let response = try site.get(target)
            #expect(response.status == 200, "\(target): \(response.text)")
            #expect(response.header("Content-Type")?.hasPrefix("image/") == true)
        }
    }

    @Test(
        "a list of sizes, or of qualities, bounds the qualities",
        arguments: [
            (nil, nil, [1, 81, 82, 83, 100], []), (nil, [], [82], [1, 81, 83, 100]),
            ([[120, 180]], nil, [82], [1, 81, 83, 100]),
            (nil, [50, 75], [50, 75, 82], [1, 49, 51, 100]),
            ([[120, 180]], [50, 75], [50, 75, 82], [1, 49, 51, 100]),
        ] as [([[Int]]?, Set<Int>?, [Int], [Int])])
    func qualities(boxes: [[Int]]?, named: Set<Int>?, good: [Int], bad: [Int]) throws {
        let site = try TestSite({
            $0.allowedBoxes = boxes.map { boxes in
                Set(boxes.map { AllowedBox(width: $0[0], height: $0[1]) })
            }
            $0.allowedQualities = named
        })
        let before = site.directory.contents()
        for target in ["/thumb/120x180\(Self.file)?q=", "/t/p/w185\(Self.file)?q="] {
            for quality in bad {
                let refused = try site.get("\(target)\(quality)")
                #expect(refused.status == 400, "\(target)\(quality)")
                #expect(refused.text.contains("parameter q: \(quality) is none of those allowed"))
            }
        }
        #expect(site.origin.totalRequests == 0)
        #expect(site.directory.contents() == before)
        for target in ["/thumb/120x180\(Self.file)?q=", "/t/p/w185\(Self.file)?q="] {
            for quality in good {
                let made = try site.get("\(target)\(quality)")
                #expect(made.status == 200, "\(target)\(quality)")
                #expect(made.header("Content-Type") == "image/jpeg")
            }
        }
    }

    @Test func `spellings of one thumbnail are one file`() throws {
        let site = try TestSite()
        for query in [
            "", "?", "?q=82", "?fit=cover", "?format=jpeg", "?dpr=1", "?dpr=1.0", "?dpr=1.0000",
            "?title=a", "?title=b", "?fallback=error", "?q=%38%32", "?format=auto", "?dpr=1.001",
        ] {
            #expect(try site.get("/thumb/120x180\(Self.file)\(query)").status == 200, "\(query)")
        }
        #expect(try site.get("/thumb/60x90\(Self.file)?dpr=2").status == 200)
        let variants = Set(
            site.directory.files().compactMap { file -> Substring? in
                let parts = file.split(separator: "/")
                return parts.count > 2 && parts[1] == "thumbs" ? parts[2] : nil
            })
        #expect(variants == ["120x180-cover-q82.jpeg"])
    }
}
