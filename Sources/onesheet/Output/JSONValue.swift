/// A JSON document to print (RFC 8259), its members in the order given.
enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case integer(Int)
    /// A number with so many decimals.
    case decimal(Double, places: Int)
    case text(String)
    case list([JSONValue])
    case object([(name: String, value: JSONValue)])

    /// An object from a literal that keeps its order.
    static func object(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
        .object(members.map { ($0.key, $0.value) })
    }

    /// `null` for nothing.
    static func text(orNull text: String?) -> JSONValue { text.map { .text($0) } ?? .null }
}

extension JSONValue: CustomStringConvertible {
    /// The document on one line.
    var description: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .integer(let value): String(value)
        case .decimal(let value, let places): Self.rounded(value, places)
        case .text(let text): Self.escaped(text)
        case .list(let values): "[" + values.map(\.description).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { "\(Self.escaped($0.name)):\($0.value)" }.joined(separator: ",")
                + "}"
        }
    }

    private static func rounded(_ value: Double, _ places: Int) -> String {
        let text = fixedPoint(value, places: places)
        return value.isFinite ? text : "null"
    }

    private static func escaped(_ text: String) -> String {
        var out = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            case "\n": out += "\\n"
            case "\r": out += "\\r"
            case "\t": out += "\\t"
            // Control characters of C1 are legal in JSON, but a terminal would obey them.
            case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value):
                let digits = String(scalar.value, radix: 16)
                out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out + "\""
    }
}

/// A number with exactly so many decimals, rounded half away from zero.
func fixedPoint(_ value: Double, places: Int) -> String {
    guard value.isFinite, abs(value) < 1e15 else { return String(value) }
    var scale = 1
    for _ in 0..<places { scale *= 10 }
    let scaled = Int((abs(value) * Double(scale)).rounded())
    let sign = value < 0 && scaled > 0 ? "-" : ""
    guard places > 0 else { return sign + String(scaled) }
    let fraction = String(scaled % scale)
    return "\(sign)\(scaled / scale)."
        + String(repeating: "0", count: places - fraction.count) + fraction
}
