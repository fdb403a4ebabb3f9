public import PosterFetch

/// An answer of the list API, passed on as it came.
public struct ListAnswer: Sendable {
    /// Where it came from.
    public enum Source: Hashable, Sendable {
        /// From the cache, under 30 minutes old.
        case cache
        /// From the cache, under an hour old, while upstream is asked in the background.
        case refreshing
        /// Asked for now.
        case upstream
        /// The last good one, because of this error.
        case stale(ListError)
    }

    /// The API's status: 200, or 404 and its kin.
    public let status: Int
    /// Its `Content-Type`.
    public let contentType: String
    /// Its body.
    public let body: [UInt8]
    /// Where it came from.
    public let source: Source
    /// Whole seconds since it was fetched.
    public let ageSeconds: Int
    /// Whole seconds for which it need not be asked for again; 0 when stale.
    public let secondsLeft: Int
}

/// Why a list cannot be had. Each case keeps the upstream's meaning.
public enum ListError: Error, Hashable, Sendable {
    /// No key is configured; nothing was asked.
    case keyMissing
    /// 401: the key is wrong or suspended. Not retried.
    case keyRefused
    /// 402: the plan's period has ended. Not retried.
    case planEnded
    /// 429, still after the waits; ask again after so many seconds.
    case rateLimited(retryAfterSeconds: Int)
    /// The budget of requests to the API is used up; the API was not asked. There is room again
    /// after so many seconds.
    case budgetSpent(retryAfterSeconds: Int)
    /// 500–599 or another status that carries no list.
    case status(Int)
    /// A success whose body is no JSON, or over the limit.
    case invalid(String)
    /// No answer.
    case unreachable(FetchError)
    /// The task that asked was cancelled before the answer was there.
    case cancelled
}

extension ListError {
    /// The name that an answer is counted under which came to this; `nil` where none came.
    var answeredReason: FetchError.Reason? {
        switch self {
        case .keyRefused: .keyRefused
        case .planEnded: .planEnded
        case .rateLimited: .rateLimited
        case .status(500...599): .status5xx
        case .status: .unexpectedStatus
        case .invalid: .listInvalid
        case .keyMissing, .budgetSpent, .unreachable, .cancelled: nil
        }
    }
}

extension ListError: CustomStringConvertible {
    /// One line for people.
    public var description: String {
        switch self {
        case .keyMissing: "no API key: set AMODB_KEY, or AMODB_KEY_FILE to a file that holds it"
        case .keyRefused: "the API refused the key (401): it is missing, wrong or suspended"
        case .planEnded: "the API plan's period has ended (402)"
        case .rateLimited(let seconds): "the API's rate limit is used up; try again in \(seconds) s"
        case .budgetSpent(let seconds):
            "this minute's budget of requests to the API is used up; try again in \(seconds) s"
        case .status(let code): "the API answered \(code)"
        case .invalid(let why): "the API's answer is unusable: \(why)"
        case .unreachable(let error): "the API gave no answer: \(error)"
        case .cancelled: "the task that asked was cancelled"
        }
    }
}
