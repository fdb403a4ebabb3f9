/// Text from outside, made fit for an error message or a log line.
///
/// Prints the text between double quotes with control characters, quotes, backslashes, and every
/// character that could turn or hide text on a terminal (bidi controls, format characters)
/// escaped as `\u{…}`, and cut after 200 characters.
public struct Quoted: CustomStringConvertible, Sendable {
    /// How many Unicode scalars are shown; what is longer ends in `…`.
    static let limit = 200

    private let text: String

    /// Wraps `text`, whatever it holds.
    public init(_ text: String) { self.text = text }

    /// The quoted, escaped and cut form.
    public var description: String {
        var out = "\""
        for (count, scalar) in text.unicodeScalars.enumerated() {
            if count == Self.limit { return out + "…\"" }
            switch scalar {
            case "\"", "\\": out += "\\" + String(scalar)
            case _ where Self.isPlain(scalar): out.unicodeScalars.append(scalar)
            default: out += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return out + "\""
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
            .unassigned:
            false
        default: true
        }
    }
}
