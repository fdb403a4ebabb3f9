/// What the page answers.
struct PageAnswer: Sendable {
    /// The HTTP status.
    let status: Int
    /// All headers but `Date` and `Content-Length`; names and values hold no control characters.
    let headers: [(name: String, value: String)]
    /// The body.
    let body: [UInt8]

    /// The value of a header, by its name in any case.
    func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
