/// Text that is HTML already. Whatever is interpolated into it is escaped, but for HTML itself,
/// so that text from outside cannot become markup by being forgotten.
struct HTML: ExpressibleByStringInterpolation, Sendable {
    /// The markup.
    private(set) var text: String

    /// Markup of our own.
    init(stringLiteral value: String) { text = value }

    /// Markup with escaped values in it.
    init(stringInterpolation: Interpolation) { text = stringInterpolation.text }

    /// Markup that was made elsewhere in this folder, such as a filled template.
    init(trusted text: String) { self.text = text }

    /// One after another.
    init(_ parts: [HTML]) { text = parts.map(\.text).joined() }

    /// Puts escaped text between markup.
    struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        mutating func appendLiteral(_ literal: String) { text += literal }

        mutating func appendInterpolation(_ html: HTML) { text += html.text }

        mutating func appendInterpolation(_ number: Int) { text += String(number) }

        /// Fit for content and for attributes in double quotes. Control characters, which HTML
        /// forbids, are left out.
        mutating func appendInterpolation(_ value: String) {
            for scalar in value.unicodeScalars {
                switch scalar {
                case "&": text += "&amp;"
                case "<": text += "&lt;"
                case ">": text += "&gt;"
                case "\"": text += "&quot;"
                case "'": text += "&#39;"
                case _ where scalar.properties.generalCategory == .control: continue
                default: text.unicodeScalars.append(scalar)
                }
            }
        }
    }
}
