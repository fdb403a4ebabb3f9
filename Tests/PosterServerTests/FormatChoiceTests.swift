import PosterImages
import PosterKit
import Testing

@testable import FixtureOrigin
@testable import PosterServer

/// `format=auto` over real HTTP: the client's `Accept` picks the format, and every answer says so.
@Suite struct FormatChoiceTests {
    private let path = ServingTests.poster.path
    private let webp = "Accept: image/avif,image/webp,*/*;q=0.8"
    private let jpeg = "Accept: image/webp;q=0, image/*"

    @Test(
        "each client gets its own, again and again, through one cache",
        arguments: [8 << 20, 0], ["/t/p/w342", "/thumb/60x90"])
    func pick(memoryBytes: Int, route: String) throws {
        let site = try TestSite(store: { $0.memoryBytes = memoryBytes })
        let target = "\(route)\(path)?format=%61uto"
        var tags: [String?: Set<String?>] = [:]
        for line in [jpeg, webp, webp, "Accept: */*", "X-Accept: image/webp", webp, jpeg] {
            let response = try site.get(target, line)
            #expect(response.status == 200)
            #expect(response.header("Vary") == "Accept")
            let type = line == webp ? "image/webp" : "image/jpeg"
            #expect(response.header("Content-Type") == type)
            #expect(ImageFormat(firstBytes: response.body)?.mediaType == type)
            tags[type, default: []].insert(response.header("ETag"))
        }
        #expect(tags.count == 2)
        #expect(tags.values.allSatisfy { $0.count == 1 })
        #expect(Set(tags.values.joined()).count == 2)
        #expect(site.origin.totalRequests == 1)
    }

    @Test func `it is the picture of the format that was picked, whoever asks for that`() throws {
        let site = try TestSite()
        for (line, format) in [(webp, "webp"), (jpeg, "jpeg")] {
            let picked = try site.get("/thumb/60x90\(path)?format=auto", line)
            let named = try site.get("/thumb/60x90\(path)?format=\(format)")
            #expect(named.header("ETag") == picked.header("ETag"))
            #expect(named.header("Cache-Status") == "onesheet; hit")
            #expect(named.header("Vary") == nil)
        }
        #expect(try site.get("/thumb/60x90\(path)").header("Vary") == nil)
        #expect(try site.get("/t/p/w342\(path)", webp).header("Vary") == nil)
    }

    @Test func `the answers without a picture vary, too`() throws {
        let site = try TestSite()
        let target = "/thumb/60x90\(path)?format=auto"
        let tag = try #require(try site.get(target, webp).header("ETag"))
        let answers = [
            (304, try site.get(target, webp, "If-None-Match: \(tag)")),
            (200, try site.get(target, jpeg, "If-None-Match: \(tag)")),
            (412, try site.get(target, webp, "If-Match: \"other\"")),
            (206, try site.get(target, webp, "Range: bytes=0-9")),
            (416, try site.get(target, webp, "Range: bytes=99999999-")),
            (200, try site.get(target, method: "HEAD", webp)),
            (400, try site.get(target + "&q=0", webp)),
            (200, try site.get("/thumb/60x90/null?format=auto", webp)),
            (404, try site.get("/t/p/w342/null?fallback=error&format=auto", webp)),
            (200, try site.get("/thumb/60x90/nosuch.jpg?format=auto", webp)),
            (404, try site.get("/thumb/60x90/nosuch.jpg?format=auto&fallback=error", jpeg)),
        ]
        for (status, response) in answers {
            #expect(response.status == status)
            #expect(response.header("Vary") == "Accept", "\(status)")
        }
        let placeholder = answers[7].1
        #expect(placeholder.header("Content-Type") == "image/webp")
    }

    @Test(
        "a placeholder comes in every format, at every density",
        arguments: [
            ("", "image/jpeg", 342), ("&format=png&dpr=2", "image/png", 684),
            ("&format=webp&dpr=1.5", "image/webp", 513), ("&format=auto", "image/webp", 342),
        ])
    func placeholder(query: String, type: String, width: Int) throws {
        let site = try TestSite()
        let response = try site.get("/placeholder/342x513?title=%D0%A4\(query)", webp)
        #expect(response.status == 200)
        #expect(response.header("Content-Type") == type)
        #expect(response.header("Vary") == (query == "&format=auto" ? "Accept" : nil))
        if type != "image/png" { #expect(response.body.count < 12_000 * width / 342) }
        if type == "image/png" {
            #expect(Array(response.body[16..<20]) == [0, 0, 2, 0xAC])
        }
    }
}
