import Amodb
import Foundation
import PosterImages
import PosterKit
import Testing

@testable import FixtureOrigin
@testable import PosterHTTP
@testable import PosterServer

/// The image routes over real HTTP, with a real cache and an upstream that can misbehave.
@Suite struct ServingTests {
    static let poster: (path: String, bytes: [UInt8]) = {
        let folder = TestSite.fixtures + "/posters/w342"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder))?.sorted() ?? []
        guard let name = names.first,
            let data = FileManager.default.contents(atPath: "\(folder)/\(name)")
        else { fatalError("no fixtures in \(folder)") }
        return ("/\(name)", Array(data))
    }()

    private var target: String { "/t/p/w342\(Self.poster.path)" }

    @Test func `a poster is served byte for byte, first from upstream, then from the cache`() throws
    {
        let site = try TestSite()
        let first = try site.get(target)
        #expect(first.status == 200)
        #expect(first.body == Self.poster.bytes)
        #expect(first.header("Content-Type") == "image/jpeg")
        #expect(first.header("Content-Length") == String(Self.poster.bytes.count))
        #expect(first.header("Cache-Status") == "onesheet; fwd=miss; fwd-status=200; stored")
        let secondsLeft = first.header("Cache-Control")?.split(separator: "=").last
        #expect((2_591_900...2_592_000).contains(secondsLeft.flatMap { Int($0) } ?? 0))
        #expect(first.header("Date") != nil)
        let second = try site.get(target)
        #expect(second.body == Self.poster.bytes)
        #expect(second.header("Cache-Status") == "onesheet; hit")
        #expect(second.header("ETag") == first.header("ETag"))
        #expect(second.header("Last-Modified") == first.header("Last-Modified"))
        #expect(first.header("Age") == nil)
        #expect(second.header("Age") == nil)
        #expect(site.origin.requests(to: target) == 1)
    }

    @Test func `HEAD says what GET says, without the body`() throws {
        let site = try TestSite()
        let get = try site.get(target)
        let head = try site.get(target, method: "HEAD")
        #expect(head.status == 200)
        #expect(head.body.isEmpty)
        for name in ["Content-Length", "Content-Type", "ETag", "Last-Modified"] {
            #expect(head.header(name) == get.header(name))
        }
    }

    @Test(
        "a thumbnail is a JPEG of the size asked for",
        arguments: [
            ("/thumb/120x180", 120, 180), ("/thumb/60x90", 60, 90), ("/thumb/50x50", 50, 50),
        ])
    func thumbnail(route: String, width: Int, height: Int) throws {
        let site = try TestSite()
        let response = try site.get(route + Self.poster.path)
        #expect(response.status == 200)
        #expect(response.header("Content-Type") == "image/jpeg")
        #expect(try jpegSize(response.body) == [width, height])
        let again = try site.get(route + Self.poster.path)
        #expect(again.header("Cache-Status") == "onesheet; hit")
        #expect(again.body == response.body)
    }

    @Test func `a thumbnail of a cached poster is made without asking upstream again`() throws {
        let site = try TestSite()
        _ = try site.get(target)
        let response = try site.get("\(target)?w=100&h=150&dpr=1.5")
        #expect(try jpegSize(response.body) == [150, 225])
        #expect(response.header("Cache-Status") == "onesheet; hit; detail=made")
        #expect(site.origin.totalRequests == 1)
    }

    @Test(
        "a thumbnail is WebP where that is asked for, from memory and from disk too",
        arguments: [8 << 20, 0])
    func webp(memoryBytes: Int) throws {
        let site = try TestSite(store: { $0.memoryBytes = memoryBytes })
        let asked = "\(target)?w=60&h=90&format=webp"
        let first = try site.get(asked)
        #expect(first.header("Content-Type") == "image/webp")
        #expect(ImageFormat(firstBytes: first.body) == .webp)
        #expect(try site.get("\(target)?w=60&h=90").header("Content-Type") == "image/jpeg")
        let again = try site.get(asked)
        #expect(again.header("Cache-Status") == "onesheet; hit")
        #expect(again.body == first.body)
        #expect(again.header("ETag") == first.header("ETag"))
        #expect(again.header("Onesheet-Tint") == first.header("Onesheet-Tint"))
        #expect(first.header("Onesheet-Tint") != nil)
        let placeholder = try site.get("/thumb/60x90/null?format=webp")
        #expect(placeholder.header("Content-Type") == "image/webp")
        #expect(ImageFormat(firstBytes: placeholder.body) == .webp)
    }

    @Test(
        "no poster is a placeholder of the box asked for, and upstream is not asked",
        arguments: [
            ("/t/p/w342/null", 342, 513), ("/t/p/w185null", 185, 278), ("/t/p/w500/null", 500, 750),
            ("/thumb/120x180/null", 120, 180), ("/thumb/60x60/null?dpr=2", 120, 120),
            ("/t/p/w342/null?w=100&h=150", 100, 150), ("/t/p/w342/null?w=100", 100, 150),
        ])
    func noPoster(target: String, width: Int, height: Int) throws {
        let site = try TestSite()
        let response = try site.get(target)
        #expect(response.status == 200)
        #expect(try jpegSize(response.body) == [width, height])
        #expect(response.header("Cache-Control") == "public, max-age=3600")
        #expect(response.header("Cache-Status") == "onesheet; detail=placeholder-missing")
        #expect(site.origin.totalRequests == 0)
        let error = try site.get(target + (target.contains("?") ? "&" : "?") + "fallback=error")
        #expect(error.status == 404)
        #expect(error.text.contains("\"no_poster\""))
    }

    @Test func `a poster that upstream does not have is a placeholder, or 404 on demand`() throws {
        let site = try TestSite()
        let response = try site.get("/t/p/w342/unknown.jpg")
        #expect(response.status == 200)
        #expect(try jpegSize(response.body) == [342, 513])
        #expect(response.header("Cache-Control") == "public, max-age=3600")
        #expect(response.header("Cache-Status")?.hasSuffix("detail=placeholder-missing") == true)
        #expect(try site.get("/t/p/w342/unknown.jpg?fallback=error").status == 404)
        #expect(site.origin.totalRequests == 1)
        let matched = try site.get("/t/p/w342/unknown.jpg", "If-None-Match: *")
        #expect(matched.status == 200)
    }

    @Test func `an upstream that fails gives a placeholder, or 502 on demand`() throws {
        let site = try TestSite()
        site.origin.misbehave(at: "/t/p/*", .status(500))
        let response = try site.get(target)
        #expect(response.status == 200)
        #expect(response.header("Cache-Control") == "public, max-age=60")
        #expect(
            response.header("Cache-Status")?.hasSuffix("detail=placeholder-unavailable") == true)
        let error = try site.get("\(target)?fallback=error")
        #expect(error.status == 502)
        #expect(error.header("Cache-Control") == "no-store")
    }

    @Test func `an upstream that hangs gives a placeholder at the deadline, and fills the cache`()
        throws
    {
        let site = try TestSite({ $0.deadline = .milliseconds(50) })
        site.origin.hold(at: target)
        let error = try site.get("\(target)?fallback=error")
        #expect(error.status == 504)
        let response = try site.get(target)
        #expect(response.status == 200)
        #expect(response.header("Cache-Control") == "public, max-age=60")
        site.origin.release(at: target)
        var status: String?
        for _ in 0..<200 where status != "onesheet; hit" {
            status = try site.get(target).header("Cache-Status")
        }
        #expect(status == "onesheet; hit")
        #expect(site.origin.requests(to: target) == 1)
    }

    @Test func `many clients of one cold poster cost one upstream request`() throws {
        let site = try TestSite()
        site.origin.hold(at: target)
        let clients = (0..<40).map { _ in RawClient(port: site.server.port) }
        for client in clients {
            client.send("GET \(target) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        }
        #expect(site.origin.waitUntilHeld(target))
        site.origin.release(at: target)
        for client in clients {
            #expect(Response(client.receiveAll())?.body == Self.poster.bytes)
        }
        #expect(site.origin.requests(to: target) == 1)
    }

    @Test func `a client that hangs up does not end the fetch`() throws {
        let site = try TestSite()
        site.origin.hold(at: target)
        do {
            let client = RawClient(port: site.server.port)
            client.send("GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(site.origin.waitUntilHeld(target))
        }
        site.origin.release(at: target)
        #expect(try site.get(target).body == Self.poster.bytes)
        #expect(site.origin.requests(to: target) == 1)
    }

    @Test func `conditions and ranges hold over the wire`() throws {
        let site = try TestSite()
        let tag = try #require(try site.get(target).header("ETag"))
        let unchanged = try site.get(target, "If-None-Match: W/\(tag)")
        #expect(unchanged.status == 304)
        #expect(unchanged.body.isEmpty)
        #expect(unchanged.header("ETag") == tag)
        let names = Set(unchanged.lines.dropFirst().map { String($0.prefix { $0 != ":" }) })
        #expect(names == ["Date", "Connection", "Cache-Control", "Cache-Status", "ETag"])
        let negotiated = try site.get("\(target)?w=60&format=auto", "If-None-Match: *")
        #expect(negotiated.status == 304)
        #expect(negotiated.header("Vary") == "Accept")
        let part = try site.get(target, "Range: bytes=10-19", "If-Range: \(tag)")
        #expect(part.status == 206)
        #expect(part.body == Array(Self.poster.bytes[10..<20]))
        #expect(part.header("Content-Length") == "10")
        let count = Self.poster.bytes.count
        #expect(part.header("Content-Range") == "bytes 10-19/\(count)")
        let beyond = try site.get(target, "Range: bytes=\(count)-")
        #expect(beyond.status == 416)
        #expect(beyond.header("Content-Range") == "bytes */\(count)")
        #expect(try site.get(target, "Range: bytes=0-1,2-3").body == Self.poster.bytes)
        #expect(try site.get(target, "Range: bytes=0-1", "Range: bytes=2-3").status == 200)
    }

    @Test func `a client's headers are neither reflected nor sent upstream`() throws {
        let site = try TestSite()
        let response = try site.get(
            target, "Cookie: sesame=1", "Authorization: Bearer sesame", "Origin: http://sesame",
            "X-Forwarded-For: sesame", "Referer: http://sesame/", "User-Agent: sesame")
        #expect(!response.lines.joined().contains("sesame"))
        let sent = site.origin.log.flatMap(\.headers).map { "\($0.name): \($0.value)" }
        #expect(!sent.joined().contains("sesame"))
        #expect(!sent.joined().contains("fixture-key"))
    }

    @Test func `with CORS every answer may be read by the origin, and a preflight is answered`()
        throws
    {
        let site = try TestSite({ $0.corsOrigin = "https://app.example" })
        let preflight = try site.get(
            "/3/trending/movie/week", method: "OPTIONS", "Origin: https://app.example",
            "Access-Control-Request-Method: GET", "Access-Control-Request-Headers: authorization")
        #expect(preflight.status == 204)
        #expect(preflight.header("Access-Control-Allow-Origin") == "https://app.example")
        #expect(preflight.header("Access-Control-Allow-Methods") == "GET, HEAD")
        for target in [target, "/t/p/w342/null", "/nowhere", "/t/p/w1/a.jpg", "/"] {
            let response = try site.get(target)
            #expect(response.header("Access-Control-Allow-Origin") == "https://app.example")
            #expect(response.header("Access-Control-Expose-Headers")?.contains("Age") == false)
        }
        for target in ["/healthz", "/readyz", "/metrics"] {
            for method in ["GET", "HEAD", "OPTIONS"] {
                let response = try site.get(target, method: method, "Origin: https://app.example")
                let isOpened = response.lines.contains {
                    $0.hasPrefix("Access-Control") || $0.hasPrefix("Cross-Origin")
                }
                #expect(!isOpened, "\(method) \(target)")
            }
        }
        let refused = try site.get("/", method: "PUT")
        #expect(refused.status == 405)
        #expect(refused.header("Allow") == "GET, HEAD, OPTIONS")
        #expect(try site.get("*", method: "OPTIONS").status == 204)
    }

    /// Width and height from a JPEG's first frame header (ITU-T T.81, B.2.2).
    private func jpegSize(_ bytes: [UInt8]) throws -> [Int] {
        try #require(bytes.starts(with: [0xFF, 0xD8, 0xFF]))
        var index = 2
        while index + 9 < bytes.count {
            let marker = bytes[index + 1]
            if [0xC0, 0xC1, 0xC2].contains(marker) {
                return [
                    Int(bytes[index + 7]) << 8 | Int(bytes[index + 8]),
                    Int(bytes[index + 5]) << 8 | Int(bytes[index + 6]),
                ]
            }
            index += 2 + (Int(bytes[index + 2]) << 8 | Int(bytes[index + 3]))
        }
        return []
    }
}
