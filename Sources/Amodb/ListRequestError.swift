/// Why a text is no request to the list API.
public struct ListRequestError: Error, Equatable, Sendable, CustomStringConvertible {
    /// One line that quotes the value and names the rule.
    public let description: String

    init(_ what: String, _ value: String, _ rule: String) {
        description = "\(what) \(Quoted(value)) refused: \(rule)"
    }
}
