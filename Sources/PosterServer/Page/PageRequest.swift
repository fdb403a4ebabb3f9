/// What the page needs to know of an HTTP request.
struct PageRequest: Sendable {
    /// The path, decoded.
    var path: String
    /// The query as it came, percent-encoded, without `?`; empty when there is none.
    var query = ""
    /// The `Accept-Language` header.
    var acceptLanguage: String?
    /// The `Cookie` header: it may keep the language that a visitor chose.
    var cookie: String?
}
