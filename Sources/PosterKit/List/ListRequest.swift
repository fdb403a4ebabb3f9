import Amodb

/// One GET to the list API, below its base: `/trending/movie/week?language=en-US`.
///
/// The path's segments are letters, digits, `-`, `_`, `.` (never `.` or `..` alone); the query's
/// parameters are passed on as they are, but for `api_key`, which never leaves or enters.
public struct ListRequest: Hashable, Sendable {
    /// With a leading slash.
    public let path: String
    /// Without `?`; empty when there is none.
    public let query: String

    /// Checks both. Throws one line that names what is wrong.
    public init(path: String, query: String = "") throws(ListRequestError) { fatalError("unbuilt") }

    /// A list as `prefetch --list trending/movie/week` names it, in a language, one page of it.
    public init(list: String, language: String? = nil, page: Int = 1) throws(ListRequestError) {
        fatalError("unbuilt")
    }
}

/// Why a text is no request to the list API.
public struct ListRequestError: Error, Equatable, Sendable, CustomStringConvertible {
    /// One line that quotes the value and names the rule.
    public let description: String
}
