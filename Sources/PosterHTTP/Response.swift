/// An answer as a connection sends it: all but `Date`, `Content-Length` and `Connection`, which it
/// adds itself.
package struct Response: Sendable {
    /// What follows the head. Bytes are shared with the answer's maker, never copied.
    package enum Body: Sendable {
        /// All bytes.
        case bytes([UInt8])
        /// Some of the bytes.
        case part([UInt8], Range<Int>)

        /// How many bytes it has.
        var count: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .part(_, let range): range.count
            }
        }
    }

    /// The status code.
    var status: Int
    /// The answer's own field lines.
    var fields: HeaderFields
    /// For HEAD it is measured and left out; for 204 and 304 it must be empty.
    var body: Body
    /// Whether the connection ends with this answer.
    package var closes = false
    /// The handler's own number for this answer, which comes back when it has been sent.
    package var tag = 0

    package init(_ status: Int, _ fields: HeaderFields, _ body: Body) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// Whether the status has no body, and so no `Content-Length` (RFC 9110, section 8.6).
    var isBodiless: Bool { status == 204 || status == 304 || status < 200 }

    /// The words behind the number on the status line (RFC 9110, section 15). Programs ignore them.
    static func reason(_ status: Int) -> StaticString {
        switch status {
        case 200: "OK"
        case 204: "No Content"
        case 206: "Partial Content"
        case 303: "See Other"
        case 304: "Not Modified"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 402: "Payment Required"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 409: "Conflict"
        case 410: "Gone"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 416: "Range Not Satisfiable"
        case 417: "Expectation Failed"
        case 422: "Unprocessable Content"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        default: "Unknown"
        }
    }
}
