public import Foundation

/// Why the API gave no list or details. The description is a sentence that a screen can show.
public enum AmodbClientError: Error, Equatable, Sendable {
    /// The key is empty, or missing for an API that asks for one. Nothing was sent.
    case keyMissing
    /// An argument makes no request; the text names the value and the rule. Nothing was sent.
    case invalidRequest(String)
    /// 401: the key or client token is missing, wrong or suspended.
    case keyRefused
    /// 402: the plan's period has ended.
    case planEnded
    /// 404: there is no such list, film or series.
    case notFound
    /// 429 after two retries, or a relay's 503: more requests than the plan allows. The API asks to
    /// wait this long.
    case rateLimited(retryAfter: Duration)
    /// Another status that is no success, with what the server says about it, if anything.
    case server(status: Int, message: String?)
    /// An answer that is no list or details.
    case invalidAnswer(String)
    /// No answer within the time-out.
    case timedOut
    /// No answer at all: offline, connection refused or lost. The text is the system's own.
    case network(String)
    /// The task was cancelled.
    case cancelled
}

extension AmodbClientError: CustomStringConvertible, LocalizedError {
    /// One sentence.
    public var description: String {
        switch self {
        case .keyMissing: "No API key is set."
        case .invalidRequest(let reason): "The request is not valid: \(reason)."
        case .keyRefused: "The film service refused the key."
        case .planEnded: "The plan of the film service has ended."
        case .notFound: "The film service has nothing at this address."
        case .rateLimited(let wait):
            "The film service is busy. Try again in \(max(1, wait.components.seconds)) seconds."
        case .server(let status, let message?): "The film service failed (\(status)): \(message)"
        case .server(let status, nil): "The film service failed (status \(status))."
        case .invalidAnswer(let reason): "The film service's answer cannot be read: \(reason)."
        case .timedOut: "The film service did not answer in time."
        case .network(let reason): "The film service cannot be reached: \(reason)"
        case .cancelled: "The request was cancelled."
        }
    }

    /// The same sentence, for `localizedDescription`.
    public var errorDescription: String? { description }
}
