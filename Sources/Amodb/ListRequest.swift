/// One GET to the list API, below its base: `/trending/movie/week?language=en-US`.
///
/// The path's segments are letters, digits, `-`, `_`, `.` (never `.` or `..` alone); the query's
/// parameters are passed on as they are, but for `api_key`, which never leaves or enters, and for
/// their order: by name, so that who asks for the same gets the same answer.
public struct ListRequest: Hashable, Sendable {
    /// The language of lists where none is named: that of the API itself.
    public static let defaultLanguage = "en-US"
    /// The longest path and query, in bytes.
    public static let maxLength = 2048

    /// With a leading slash.
    public let path: String
    /// Without `?`; empty when there is none.
    public let query: String

    /// Checks both. Throws one line that names what is wrong.
    public init(path: String, query: String = "") throws(ListRequestError) {
        guard path.utf8.count <= Self.maxLength, query.utf8.count <= Self.maxLength else {
            throw ListRequestError("list path or query", path, "it is over \(Self.maxLength) bytes")
        }
        guard path.hasPrefix("/"), path.utf8.count > 1 else {
            throw ListRequestError("list path", path, "it must be / and one or more segments")
        }
        for segment in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard Self.isPlain(segment) else {
                throw ListRequestError(
                    "list path", path,
                    "segments are letters, digits, - _ . and not empty, . or ..")
            }
        }
        // The key first: an error quotes what is left.
        let parameters = query.split(separator: "&").filter { !Self.isKey($0) }
        let passedOn = parameters.joined(separator: "&")
        guard Self.isQuery(passedOn) else {
            throw ListRequestError(
                "list query", passedOn, "it holds a character that no query may hold")
        }
        self.path = path
        // Of parameters with one name the order may mean something, so it stays.
        self.query = parameters.enumerated()
            .sorted {
                (Self.name(of: $0.element), $0.offset) < (Self.name(of: $1.element), $1.offset)
            }
            .map(\.element).joined(separator: "&")
    }

    /// A list as `prefetch --list trending/movie/week` names it, in a language, one page of it.
    ///
    /// The language tag is passed on as it is given; the API falls back to English for those
    /// that it does not know. A list may bring its own query (`discover/movie?with_genres=27`),
    /// and in it a language, which then counts.
    public init(list: String, language: String? = nil, page: Int = 1) throws(ListRequestError) {
        let parts = list.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts[0].hasPrefix("/") ? String(parts[0]) : "/\(parts[0])"
        var query = parts.count > 1 ? [String(parts[1])] : []
        let namesLanguage = query.contains { own in
            own.split(separator: "&").contains { Self.name(of: $0) == "language" }
        }
        if let language, !language.isEmpty, !namesLanguage {
            query.append("language=\(Self.escape(language))")
        }
        guard page >= 1 else {
            throw ListRequestError("list page", String(page), "pages begin at 1")
        }
        if page > 1 { query.append("page=\(page)") }
        try self.init(path: path, query: query.joined(separator: "&"))
    }

    private static func isPlain(_ segment: Substring) -> Bool {
        !segment.isEmpty && segment != "." && segment != ".."
            && segment.utf8.allSatisfy { isUnreserved($0) && $0 != UInt8(ascii: "~") }
    }

    /// `query` of RFC 3986, section 3.4, with whole percent-escapes only.
    private static func isQuery(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        for (index, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "%") {
                guard index + 2 < bytes.count, isHex(bytes[index + 1]), isHex(bytes[index + 2])
                else { return false }
            } else if !isUnreserved(byte), !"!$&'()*+,;=:@/?|[]".utf8.contains(byte) {
                return false
            }
        }
        return true
    }

    /// Whether a parameter is the API's key, however its name is spelt.
    private static func isKey(_ parameter: Substring) -> Bool {
        name(of: parameter).lowercased() == keyName
    }

    /// The parameter that holds the API's key, in lower case.
    package static let keyName = "api_key"

    /// A parameter's name, percent-decoded.
    package static func name(of parameter: Substring) -> String {
        unescape(parameter.prefix { $0 != "=" })
    }

    /// A parameter's value, percent-decoded; empty where it has none.
    package static func value(of parameter: Substring) -> String {
        unescape(parameter.drop { $0 != "=" }.dropFirst())
    }

    private static func unescape(_ text: Substring) -> String {
        var (bytes, rest) = ([UInt8](), text.utf8[...])
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), let escaped = UInt8(digits, radix: 16) {
                bytes.append(escaped)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func escape(_ text: String) -> String {
        text.utf8.map { byte in
            let hex = String(byte, radix: 16, uppercase: true)
            return isUnreserved(byte)
                ? String(Character(Unicode.Scalar(byte))) : byte < 16 ? "%0\(hex)" : "%\(hex)"
        }.joined()
    }

    /// `unreserved` of RFC 3986, section 2.3.
    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~".utf8.contains(byte)
        }
    }

    private static func isHex(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}

extension ListRequest: CustomStringConvertible {
    /// The path, and the query where there is one: what is joined to the API's base, and the
    /// name that the answer is kept under.
    public var description: String { query.isEmpty ? path : "\(path)?\(query)" }
}
