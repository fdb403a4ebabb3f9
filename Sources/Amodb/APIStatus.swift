/// What an HTTP status of the list API means, and so what a client does about it.
public enum APIStatus: Equatable, Sendable {
    /// 200–299: decode the body.
    case success
    /// 401: the key is missing, wrong or suspended. Tell; do not retry.
    case keyRefused
    /// 402: the plan's period has ended. Tell; do not retry.
    case planEnded
    /// 429: over the requests a minute. Wait `Retry-After`, retry at most twice.
    case rateLimited
    /// 500–599: the server's side. Show the status; offer a reload.
    case serverError(Int)
    /// 404: no such list or film.
    case notFound
    /// Any other status, which the API is not known to send.
    case unexpected(Int)

    /// Reads an HTTP status code.
    public init(code: Int) {
        self =
            switch code {
            case 200...299: .success
            case 401: .keyRefused
            case 402: .planEnded
            case 404: .notFound
            case 429: .rateLimited
            case 500...599: .serverError(code)
            default: .unexpected(code)
            }
    }
}
