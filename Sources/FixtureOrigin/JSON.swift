/// A string as JSON writes it, with its quotation marks.
func quoted(_ text: String) -> String {
    var out = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"", "\\":
            out += "\\"
            out.unicodeScalars.append(scalar)
        case _ where scalar.value < 0x20:
            let digits = String(scalar.value, radix: 16)
            out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default:
            out.unicodeScalars.append(scalar)
        }
    }
    return out + "\""
}

extension Answer {
    /// An answer whose body is JSON text.
    static func json(_ status: Int, _ text: String, headers: [Header] = []) -> Answer {
        Answer(
            status: status,
            headers: [("Content-Type", "application/json; charset=utf-8")] + headers,
            body: Array(text.utf8))
    }

    /// A refusal in the words of the list API.
    static func refusal(_ status: Int, code: Int, _ message: String) -> Answer {
        json(
            status,
            "{\"status_code\":\(code),\"status_message\":\(quoted(message)),\"success\":false}")
    }
}
