/// Why a request was refused, for metrics: a closed set. The values but the last are the codes of
/// the JSON errors.
enum RejectReason: String, CaseIterable, Sendable {
    /// The head breaks HTTP's rules.
    case badRequest = "bad_request"
    /// The target is none.
    case badTarget = "bad_target"
    /// A value of the path or query.
    case badQuery = "bad_query"
    case badParameter = "bad_parameter"
    case badPosterPath = "bad_poster_path"
    case badListRequest = "bad_list_request"
    /// No such route.
    case notFound = "not_found"
    case methodNotAllowed = "method_not_allowed"
    case expectationFailed = "expectation_failed"
    /// No client's token, or a wrong one.
    case tokenRequired = "token_required"
    /// A queue is full.
    case busy
    /// More bytes of head than a request may have.
    case headTooLarge = "head_too_large"
    /// A request line that is longer than a head may be.
    case targetTooLong = "target_too_long"
    /// A version of HTTP other than 1.
    case versionNotSupported = "version_not_supported"
    /// A client that has as many connections as one may have.
    case clientConnections = "client_connections"
}
