import PosterHTTP

/// Errors as the contract has them: `{"error":{"code":"…","message":"…"}}`, never kept.
extension Reply {
    /// The answer to a refused request.
    init(_ refusal: RequestRefusal, headers: [(name: String, value: String)] = []) {
        let body =
            "{\"error\":{\"code\":\(jsonString(refusal.code)),"
            + "\"message\":\(jsonString(refusal.message))}}\n"
        self = .text(refusal.status, "application/json", body)
        self.headers += HeaderFields(headers)
        rejection = RejectReason(rawValue: refusal.code)
    }
}

extension RequestRefusal {
    /// For a head that was refused.
    init(_ fault: HeadFault) {
        switch fault {
        case .malformed(let what):
            self.init(fault.status, "bad_request", "the request has \(what)")
        case .targetTooLong:
            self.init(fault.status, "target_too_long", "the request target is too long")
        case .headTooLarge:
            self.init(fault.status, "head_too_large", "the request's head is too large")
        case .version:
            self.init(fault.status, "version_not_supported", "only version 1 of HTTP is served")
        }
    }
}

/// A text as a JSON string (RFC 8259, section 7), quotes included.
func jsonString(_ text: String) -> String {
    var out = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"": out += "\\\""
        case "\\": out += "\\\\"
        case "\u{0}"..."\u{1F}", "\u{7F}", "\u{2028}", "\u{2029}":
            let digits = String(scalar.value, radix: 16)
            out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default: out.unicodeScalars.append(scalar)
        }
    }
    return out + "\""
}
