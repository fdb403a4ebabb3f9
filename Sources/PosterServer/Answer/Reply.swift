import PosterHTTP
import PosterImages

/// An HTTP answer as a value: everything but `Date`, `Content-Length` and `Connection`, which
/// the connection adds.
struct Reply: Sendable {
    /// What follows the head. For HEAD it is measured and left out.
    enum Body: Sendable {
        /// Bytes made for this answer.
        case bytes([UInt8])
        /// A part of a picture, or the whole, which is not copied.
        case picture(Picture, Range<Int>)
    }

    /// The status code.
    var status: Int
    /// The header fields. None comes from outside unchecked.
    var headers: HeaderFields
    /// What follows.
    var body: Body
    /// Where the request led.
    var route = RequestMetrics.RouteName.none
    /// What the cache did for it.
    var outcome = CacheOutcome.none
    /// Whether the connection ends with it.
    var closes = false
    /// Why the request was refused, if it was.
    var rejection: RejectReason?

    init(_ status: Int, _ headers: HeaderFields, _ body: Body) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Takes the headers as names and values.
    init(_ status: Int, _ headers: [(name: String, value: String)], _ body: Body) {
        self.init(status, HeaderFields(headers), body)
    }

    /// A text that is not to be kept.
    static func text(_ status: Int, _ contentType: String, _ text: String) -> Reply {
        Reply(
            status,
            [
                ("Content-Type", contentType), ("Cache-Control", "no-store"),
                ("X-Content-Type-Options", "nosniff"),
            ], .bytes(Array(text.utf8)))
    }

    /// The length of the body in bytes.
    var length: Int {
        switch body {
        case .bytes(let bytes): bytes.count
        case .picture(_, let range): range.count
        }
    }

    /// A header's value, by its name as written here.
    func header(_ name: String) -> String? { headers.value(of: name) }
}

extension Reply {
    /// As a connection sends it.
    var response: Response {
        let bytes: Response.Body
        switch body {
        case .bytes(let all): bytes = .bytes(all)
        case .picture(let picture, let range): bytes = .part(picture.bytes, range)
        }
        var response = Response(status, headers, bytes)
        response.closes = closes
        response.tag = AnswerTag(route, outcome).rawValue
        return response
    }
}
