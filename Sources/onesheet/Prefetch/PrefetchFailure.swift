/// One thing that a prefetch could not have: a row of its report.
struct PrefetchFailure: Equatable, Sendable {
    /// The poster path, as it was named; or the list.
    let subject: String
    /// The size or the thumbnail; `nil` where none was asked for yet.
    let rendition: String?
    /// The name of the reason.
    let reason: String
    /// What decided.
    let detail: String

    init(_ subject: String, rendition: String? = nil, _ reason: String, _ detail: String) {
        self.subject = subject
        self.rendition = rendition
        self.reason = reason
        self.detail = detail
    }

    /// `"/abc.jpg" w342: status_5xx: status 503`
    var text: String {
        let rendition = rendition.map { " \($0)" } ?? ""
        return quoted(subject) + rendition + ": " + reason + (detail.isEmpty ? "" : ": \(detail)")
    }

    var json: JSONValue {
        .object([
            "path": .text(subject), "rendition": .text(orNull: rendition),
            "reason": .text(reason), "detail": .text(detail),
        ])
    }
}
