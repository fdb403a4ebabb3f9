/// Why a text is no poster path.
public struct PosterPathError: Error, Equatable, Sendable {
    /// The rule of the grammar that was broken, worst first.
    public enum Rule: String, CaseIterable, Sendable {
        /// `https://host/abc.jpg`: an address instead of a path.
        case wholeURL =
            "a whole URL is no poster path; it is /NAME.EXT on the configured image host"
        /// `abc.jpg`
        case leadingSlash = "it must begin with one slash"
        /// `//host/abc.jpg`
        case doubleSlash = "it must begin with one slash, not two"
        /// `/a/b.jpg`, `/../b.jpg`
        case oneSegment = "it must be one segment, with no further slash"
        /// `/a%2fb.jpg`
        case percentSign = "percent signs are not allowed"
        /// `/abc.svg`, `/abc`
        case ending = "it must end in .jpg, .jpeg or .png"
        /// `/.jpg`, or a name of 129 characters
        case nameLength = "its name must have 1 to 128 characters"
        /// `/a b.jpg`, `/a.b.jpg`
        case nameCharacters = "its name may hold only A-Z a-z 0-9 - _"
    }

    /// The refused text, unedited; print it only through ``Quoted``.
    public let value: String

    /// What is wrong with it.
    public let rule: Rule

    /// Says that `value` breaks `rule`.
    public init(value: String, rule: Rule) {
        self.value = value
        self.rule = rule
    }
}

extension PosterPathError: CustomStringConvertible {
    /// One line that quotes the value and names the rule.
    public var description: String { "poster path \(Quoted(value)) refused: \(rule.rawValue)" }
}
