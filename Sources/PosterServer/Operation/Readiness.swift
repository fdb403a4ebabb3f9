import PosterBase

/// The answer to a readiness probe.
enum Readiness {
    /// 200, or 503 where an issue keeps traffic away; with each of the issues.
    static func reply(_ issues: [HealthIssue]) -> Reply {
        guard !issues.isEmpty else {
            return .text(200, "application/json", "{\"status\":\"ready\"}\n")
        }
        let isReady = !issues.contains { $0.code.keepsTrafficAway }
        let reasons = issues.map {
            "{\"code\":\(jsonString($0.code.rawValue)),\"message\":\(jsonString($0.message))}"
        }
        return .text(
            isReady ? 200 : 503, "application/json",
            "{\"status\":\"\(isReady ? "ready" : "not ready")\",\"reasons\":[\(reasons.joined(separator: ","))]}\n"
        )
    }
}
