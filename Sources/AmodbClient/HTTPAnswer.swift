import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An answer of the API: its status, its body, and what it asks a client to wait.
struct HTTPAnswer: Sendable {
    let status: Int
    let body: [UInt8]
    /// The value of `Retry-After`, if the answer has one.
    private let retryAfterField: String?
    /// The value of `Date`, by which a date in `Retry-After` is read.
    private let dateField: String?

    init(_ response: HTTPURLResponse, _ body: Data) {
        self.init(
            status: response.statusCode, body: Array(body),
            retryAfter: response.value(forHTTPHeaderField: "Retry-After"),
            date: response.value(forHTTPHeaderField: "Date"))
    }

    init(status: Int, body: [UInt8], retryAfter: String? = nil, date: String? = nil) {
        self.status = status
        self.body = body
        retryAfterField = retryAfter
        dateField = date
    }

    /// Whether it says how long to wait.
    var namesRetryAfter: Bool { retryAfterField != nil }

    /// How long the server asks to wait, at least a second; 5 seconds where that cannot be read
    /// (RFC 9110 section 10.2.3: a number of seconds, or a date).
    var retryAfter: Duration {
        let field = (retryAfterField ?? "").trimmingCharacters(in: .whitespaces)
        if !field.isEmpty, field.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) {
            return .seconds(max(1, min(Int(field) ?? Self.longestNamed, Self.longestNamed)))
        }
        guard let until = Self.date(field) else { return .seconds(5) }
        let now = dateField.flatMap(Self.date) ?? Date()
        let seconds = until.timeIntervalSince(now).rounded(.up)
        return .seconds(max(1, min(seconds, Double(Self.longestNamed))))
    }

    /// What the server says about an error: Onesheet's `error.message`, or the `status_message` of
    /// an API with TMDB's paths; cut after 200 characters.
    var message: String? {
        struct Body: Decodable {
            struct Details: Decodable { let message: String? }
            let error: Details?
            let status_message: String?
        }
        do {
            let decoded = try JSONDecoder().decode(Body.self, from: Data(body))
            let text = decoded.error?.message ?? decoded.status_message
            return text.flatMap { $0.isEmpty ? nil : String($0.prefix(200)) }
        } catch { return nil }
    }

    /// A day, in seconds: what a larger number is taken for.
    private static let longestNamed = 86_400

    /// Reads an HTTP date in the form that servers must send (RFC 9110 section 5.6.7).
    private static func date(_ field: String) -> Date? {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.date(from: field)
    }
}
