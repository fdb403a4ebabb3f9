/// The address under which a host keeps its pictures or its API, such as
/// `https://img.amodb.dev/t/p`: `http` or `https`, a host, perhaps a port and a path.
///
/// No user information, query or fragment (RFC 3986 section 3), no spaces, no final slash (one is
/// dropped), so that plain joining with a path that begins with a slash is right.
public struct BaseURL: Hashable, Sendable, CustomStringConvertible {
    /// Where amodb keeps its pictures.
    public static let amodbImages = BaseURL(known: "https://img.amodb.dev/t/p")
    /// Where amodb answers lists.
    public static let amodbAPI = BaseURL(known: "https://api.amodb.dev/3")

    /// The address, without a final slash.
    public let description: String

    /// Reads an address. Throws one line that quotes it and names the rule that it breaks.
    public init(_ text: String) throws(BaseURLError) {
        let trimmed = text.hasSuffix("/") && !text.hasSuffix("//") ? String(text.dropLast()) : text
        guard let rest = Self.afterScheme(trimmed) else {
            throw BaseURLError(value: text, rule: .scheme)
        }
        guard trimmed.utf8.allSatisfy({ 0x21...0x7E ~= $0 && !"\"<>\\^`{|}".utf8.contains($0) })
        else { throw BaseURLError(value: text, rule: .characters) }
        let authority = rest.prefix { $0 != "/" }
        guard !authority.contains("@") else { throw BaseURLError(value: text, rule: .userinfo) }
        guard !rest.contains("?"), !rest.contains("#") else {
            throw BaseURLError(value: text, rule: .query)
        }
        guard !authority.isEmpty, !authority.hasPrefix(":") else {
            throw BaseURLError(value: text, rule: .host)
        }
        description = trimmed
    }

    private init(known text: String) { description = text }

    /// Scheme, host and port: what a back-off belongs to and what a redirect may not leave.
    public var origin: String {
        let rest = Self.afterScheme(description) ?? Substring(description)
        let authority = rest.prefix { $0 != "/" }
        return String(description[..<authority.endIndex]).lowercased()
    }

    /// The image URL of a poster at a size: `BASE/w342/NAME.EXT`.
    public func url(of path: PosterPath, size: PosterSize) -> String {
        "\(description)/\(size.rawValue)\(path)"
    }

    private static func afterScheme(_ text: String) -> Substring? {
        for scheme in ["https://", "http://"] where text.lowercased().hasPrefix(scheme) {
            return text.dropFirst(scheme.count)
        }
        return nil
    }
}
