/// Why a text is no base URL.
public struct BaseURLError: Error, Equatable, Sendable {
    /// The rule that was broken.
    public enum Rule: String, Sendable {
        /// Only HTTP is spoken.
        case scheme = "it must begin with http:// or https://"
        /// RFC 3986 characters only.
        case characters = "it holds characters that no URL may hold"
        /// Credentials have no place in it.
        case userinfo = "it must hold no user name or password"
        /// Paths are joined to it.
        case query = "it must hold no query or fragment"
        /// `http:///path`
        case host = "it names no host"
    }

    /// The refused text.
    public let value: String
    /// What is wrong with it.
    public let rule: Rule

    /// Says that `value` breaks `rule`.
    public init(value: String, rule: Rule) {
        self.value = value
        self.rule = rule
    }
}

extension BaseURLError: CustomStringConvertible {
    /// One line that quotes the value and names the rule.
    public var description: String { "base URL \(Quoted(value)) refused: \(rule.rawValue)" }
}
