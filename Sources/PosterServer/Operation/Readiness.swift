import PosterKit

/// The answer to a readiness probe.
enum Readiness {
    /// 200, or 503 where a trouble keeps traffic away; with each of the troubles.
    static func reply(_ troubles: [Trouble]) -> Reply {
        guard !troubles.isEmpty else {
            return .text(200, "application/json", "{\"status\":\"ready\"}\n")
        }
        let isReady = !troubles.contains { $0.code.keepsTrafficAway }
        let reasons = troubles.map {
            "{\"code\":\(jsonString($0.code.rawValue)),\"message\":\(jsonString($0.message))}"
        }
        return .text(
            isReady ? 200 : 503, "application/json",
            "{\"status\":\"\(isReady ? "ready" : "not ready")\",\"reasons\":[\(reasons.joined(separator: ","))]}\n"
        )
    }
}
