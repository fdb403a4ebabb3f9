import PosterKit

/// The answer to a readiness probe.
enum Readiness {
    /// 200 without troubles, else 503 with each of them.
    static func reply(_ troubles: [Trouble]) -> Reply {
        guard !troubles.isEmpty else {
            return .text(200, "application/json", "{\"status\":\"ready\"}\n")
        }
        let reasons = troubles.map {
            "{\"code\":\(jsonString($0.code.rawValue)),\"message\":\(jsonString($0.message))}"
        }
        return .text(
            503, "application/json",
            "{\"status\":\"not ready\",\"reasons\":[\(reasons.joined(separator: ","))]}\n")
    }
}
