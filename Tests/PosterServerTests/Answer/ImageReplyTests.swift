import Amodb
import PosterBase
import PosterImages
import PosterKit
import Testing

@testable import PosterFetch
@testable import PosterHTTP
@testable import PosterServer

@Suite struct ImageReplyTests {
    static let picture = Picture(
        bytes: [0xFF, 0xD8, 0xFF] + [UInt8](repeating: 7, count: 97), format: .jpeg,
        made: Timestamp(seconds: 784_111_777))
    static let now = Timestamp(seconds: 784_200_000)
    static let down = FetchError(.connect, "refused")
    static let slow = FetchError(.deadline, "2.5 s")
    static let request = PosterRequest(PosterPath.sample, .poster(.w342))

    private func reply(
        _ state: Answer.State, picture: Picture? = picture, age: Int? = nil,
        request: PosterRequest = request,
        _ set: (inout RequestHead) -> Void = { _ in }
    ) -> Reply {
        var head = RequestHead()
        set(&head)
        return ImageReply.make(
            Answer(picture: picture, state: state, ageSeconds: age), to: request, head,
            now: Self.now)
    }

    /// One row of the contract's table of poster states.
    struct Row: CustomTestStringConvertible, Sendable {
        var state: Answer.State
        var cacheControl: String
        var cacheStatus: String
        var testDescription: String { "\(state)" }

        static let all = [
            Row(
                state: .fresh(.memory, secondsLeft: 132), cacheControl: "public, max-age=120",
                cacheStatus: "onesheet; hit"),
            Row(
                state: .fresh(.disk, secondsLeft: 2_592_000),
                cacheControl: "public, max-age=2592000", cacheStatus: "onesheet; hit"),
            Row(
                state: .fresh(.made, secondsLeft: 59), cacheControl: "public, max-age=0",
                cacheStatus: "onesheet; hit; detail=made"),
            Row(
                state: .fresh(.fetched, secondsLeft: 60), cacheControl: "public, max-age=60",
                cacheStatus: "onesheet; fwd=miss; fwd-status=200; stored"),
            Row(
                state: .fresh(.refetched, secondsLeft: 119), cacheControl: "public, max-age=60",
                cacheStatus: "onesheet; fwd=stale; fwd-status=200; stored"),
            Row(
                state: .fresh(.revalidated, secondsLeft: 0), cacheControl: "public, max-age=0",
                cacheStatus: "onesheet; fwd=stale; fwd-status=304"),
            Row(
                state: .staleIfError(down), cacheControl: "public, max-age=60",
                cacheStatus: "onesheet; fwd=stale; detail=stale-if-error"),
            Row(
                state: .derived(down), cacheControl: "public, max-age=60",
                cacheStatus: "onesheet; fwd=miss; detail=derived"),
            Row(
                state: .absent(.noPoster), cacheControl: "public, max-age=3600",
                cacheStatus: "onesheet; detail=placeholder-missing"),
            Row(
                state: .absent(.missing(status: 410)), cacheControl: "public, max-age=3600",
                cacheStatus: "onesheet; fwd=miss; fwd-status=410; detail=placeholder-missing"),
            Row(
                state: .absent(.failed(slow)), cacheControl: "public, max-age=60",
                cacheStatus: "onesheet; fwd=miss; detail=placeholder-unavailable"),
        ]
    }

    @Test("each state has its headers", arguments: Row.all)
    func headers(row: Row) {
        let reply = reply(row.state, age: 3)
        #expect(reply.status == 200)
        #expect(reply.length == 100)
        #expect(reply.header("Cache-Control") == row.cacheControl)
        #expect(reply.header("Cache-Status") == row.cacheStatus)
        #expect(reply.header("Content-Type") == "image/jpeg")
        #expect(reply.header("ETag") == Self.picture.entityTag)
        #expect(reply.header("Last-Modified") == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(reply.header("X-Content-Type-Options") == "nosniff")
        #expect(reply.header("Content-Security-Policy") == "default-src 'none'; sandbox")
        #expect(reply.header("Age") == nil)
    }

    @Test(
        "without a picture and with fallback=error the state is the status",
        arguments: [
            (.noPoster, 404, "no_poster"), (.missing(status: 404), 404, "poster_not_found"),
            (.failed(down), 502, "upstream_unavailable"),
            (.failed(slow), 504, "upstream_timeout"),
            (.failed(FetchError(.busy, "")), 503, "busy"),
        ] as [(Unavailability, Int, String)])
    func fallbackError(unavailability: Unavailability, status: Int, code: String) {
        var request = Self.request
        request.drawsPlaceholder = false
        let reply = reply(.absent(unavailability), picture: nil, request: request)
        #expect(reply.status == status)
        #expect(reply.header("Cache-Control") == "no-store")
        guard case .bytes(let body) = reply.body else {
            Issue.record("no body")
            return
        }
        #expect(String(decoding: body, as: UTF8.self).hasPrefix("{\"error\":{\"code\":\"\(code)\""))
    }

    @Test func `a placeholder that could not be drawn is an honest 503`() {
        let reply = reply(.absent(.noPoster), picture: nil)
        #expect(reply.status == 503)
        #expect(reply.header("Retry-After") == "1")
    }

    @Test(
        "a placeholder is never answered with 304, nor in parts",
        arguments: [Unavailability.noPoster, .missing(status: 404), .failed(slow)])
    func placeholderIsWhole(unavailability: Unavailability) {
        let conditional = reply(.absent(unavailability)) { $0.ifNoneMatch = "*" }
        #expect(conditional.status == 200)
        let dated = reply(.absent(unavailability)) {
            $0.ifModifiedSince = "Mon, 07 Nov 2044 08:49:37 GMT"
        }
        #expect(dated.status == 200)
        let ranged = reply(.absent(unavailability)) { $0.range = "bytes=0-9" }
        #expect(ranged.status == 200)
        #expect(ranged.length == 100)
    }

    @Test func `304 keeps the headers that update a cache, no others, and has no body`() {
        let reply = reply(.fresh(.memory, secondsLeft: 130), age: 4) {
            $0.ifNoneMatch = Self.picture.entityTag
        }
        #expect(reply.status == 304)
        #expect(reply.length == 0)
        #expect(reply.header("ETag") == Self.picture.entityTag)
        #expect(reply.header("Cache-Control") == "public, max-age=120")
        #expect(Set(reply.headers.all.map(\.name)) == ["ETag", "Cache-Control", "Cache-Status"])
    }

    @Test func `a range is answered with its part`() {
        let reply = reply(.fresh(.disk, secondsLeft: 9)) { $0.range = "bytes=90-" }
        #expect(reply.status == 206)
        #expect(reply.length == 10)
        #expect(reply.header("Content-Range") == "bytes 90-99/100")
    }

    @Test func `a range beyond the end is 416 with the length`() {
        let reply = reply(.fresh(.disk, secondsLeft: 9)) { $0.range = "bytes=100-" }
        #expect(reply.status == 416)
        #expect(reply.header("Content-Range") == "bytes */100")
    }

    @Test func `a range is for GET alone, and for the picture that If-Range names`() {
        let head = reply(.fresh(.disk, secondsLeft: 9)) {
            $0.range = "bytes=0-9"
            $0.method = "HEAD"
        }
        #expect(head.status == 200)
        let other = reply(.fresh(.disk, secondsLeft: 9)) {
            $0.range = "bytes=0-9"
            $0.ifRange = "\"another\""
        }
        #expect(other.status == 200)
    }
}
