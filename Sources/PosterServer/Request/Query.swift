import Amodb

/// The parameters of a query: `name=value` pairs with `&` between them, each name once, each
/// value percent-decoded (`+` is a space, as forms write it).
struct Query: Sendable {
    /// More parameters than any route has; what holds more is not looked at.
    private static let mostParameters = 16

    private var values: [String: String] = [:]

    /// Reads a query. Throws 400 for a pair that is no pair, a doubled name, and a value that is
    /// empty or not UTF-8; `known` are the names that the route has.
    init(_ text: Substring?, known: Set<String>) throws(RequestRefusal) {
        guard let text, !text.isEmpty else { return }
        let pairs = text.split(
            separator: "&", maxSplits: Self.mostParameters, omittingEmptySubsequences: false)
        guard pairs.count <= Self.mostParameters else {
            throw RequestRefusal(400, "bad_query", "the query has too many parameters")
        }
        for pair in pairs {
            guard let equals = pair.utf8.firstIndex(of: UInt8(ascii: "=")) else {
                throw .parameter("\(Quoted(String(pair)))", "has no value")
            }
            let name = String(pair[..<equals])
            guard known.contains(name) else {
                throw .parameter("\(Quoted(name))", "is unknown here")
            }
            guard values[name] == nil else { throw .parameter(name, "is given twice") }
            let raw = pair[pair.utf8.index(after: equals)...]
            guard !raw.isEmpty else { throw .parameter(name, "has no value") }
            guard let value = Self.decode(raw) else {
                throw .parameter(name, "\(Quoted(String(raw))) is not percent-encoded UTF-8")
            }
            values[name] = value
        }
    }

    /// Every readable value that a name has, in a query that may be refused for other reasons.
    static func values(of name: String, in text: Substring?) -> [String] {
        (text ?? "").split(separator: "&").compactMap { pair in
            guard pair.utf8.starts(with: name.utf8),
                case let rest = pair.utf8.dropFirst(name.utf8.count),
                rest.first == UInt8(ascii: "=")
            else { return nil }
            return decode(Substring(rest.dropFirst()))
        }
    }

    /// A parameter's value; `nil` when it was not given.
    subscript(name: String) -> String? { values[name] }

    /// Whether nothing was given.
    var isEmpty: Bool { values.isEmpty }

    private static func decode(_ text: Substring) -> String? {
        var (bytes, rest) = ([UInt8](), text.utf8[...])
        bytes.reserveCapacity(rest.count)
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(hexDigit),
                    let low = rest.popFirst().flatMap(hexDigit)
                else { return nil }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
