/// The head of a request, as far as answers depend on it.
///
/// Fields that may come once are empty, and so unreadable to every parser, when they come twice;
/// lists are joined (RFC 9110, section 5.3).
package struct RequestHead: Equatable, Sendable {
    /// As sent: methods are case-sensitive.
    package var method = "GET"
    /// The request target as sent.
    package var target = "/"
    /// The `x` of `HTTP/1.x`.
    var minorVersion: UInt8 = 1
    package var host: String?
    var connection: String?
    var contentLength: String?
    var transferEncoding: String?
    package var expect: String?
    package var ifMatch: String?
    package var ifNoneMatch: String?
    package var ifModifiedSince: String?
    package var ifUnmodifiedSince: String?
    package var ifRange: String?
    package var range: String?
    package var authorization: String?
    package var accept: String?
    package var acceptLanguage: String?
    package var cookie: String?
    var priority: String?
    /// Of the `X-Forwarded-` fields, only a trusted proxy's word reaches the handler.
    var forwardedFor: String?
    package var forwardedProto: String?

    /// Takes one field line in: `name` is a token, `value` has no whitespace around it.
    mutating func add(
        _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>
    ) throws(HeadFault) {
        guard let field = Field(name) else { return }
        let text = String(decoding: value, as: UTF8.self)
        guard let before = self[field] else {
            self[field] = text
            return
        }
        switch field.repetition {
        case .list: self[field] = before + ", " + text
        case .unreadable: self[field] = ""
        case .fault:
            throw .malformed("two \(String(decoding: name, as: UTF8.self)) fields")
        }
    }

    /// Whether no client waits for the answer: its urgency is the lowest, 7, which is for work in the
    /// background (RFC 9218, section 4.1). Of several the last counts, as in any dictionary.
    package var isBackground: Bool {
        let urgencies = (priority ?? "").split(separator: ",").compactMap { member -> Substring? in
            let item = member.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            let key = item.first?.drop { $0 == " " || $0 == "\t" }
            return item.count == 2 && key == "u" ? item[1].prefix { $0 != " " && $0 != "\t" } : nil
        }
        return urgencies.last == "7"
    }

    /// Removes the `X-Forwarded-` fields of a client that is no trusted proxy.
    mutating func removeForwarded() {
        (forwardedFor, forwardedProto) = (nil, nil)
    }

    /// Whether a body follows. None is ever read, so the connection must end after the answer.
    package var hasBody: Bool {
        transferEncoding != nil || contentLength?.utf8.allSatisfy { $0 == 0x30 } == false
    }

    /// Whether the client wants the connection to go on after the answer (RFC 9112, section 9.3).
    var isPersistent: Bool {
        guard let connection else { return minorVersion > 0 }
        let options = connection.lowercased().utf8.split(separator: UInt8(ascii: ","))
        func names(_ option: String) -> Bool {
            options.contains { text in
                let word = text.drop { $0 == 0x20 || $0 == 0x09 }
                return word.starts(with: option.utf8)
                    && word.dropFirst(option.utf8.count).allSatisfy { $0 == 0x20 || $0 == 0x09 }
            }
        }
        return !names("close") && (minorVersion > 0 || names("keep-alive"))
    }

    /// Throws when a whole head leaves in doubt where the request ends or whom it is for: two
    /// servers in a row could then see different requests (RFC 9112, sections 3.2 and 6.3).
    func checkFraming() throws(HeadFault) {
        if host == nil, minorVersion > 0 { throw .malformed("no Host field") }
        if let host, !host.utf8.allSatisfy(Self.isHostByte) {
            throw .malformed("a malformed Host field")
        }
        if let contentLength, contentLength.isEmpty || !contentLength.utf8.allSatisfy(Self.isDigit)
        {
            throw .malformed("a malformed length")
        }
        guard transferEncoding != nil else { return }
        if contentLength != nil { throw .malformed("both Content-Length and Transfer-Encoding") }
        if minorVersion == 0 { throw .malformed("Transfer-Encoding in HTTP/1.0") }
    }

    /// RFC 9110, section 5.6.2.
    static func isTokenByte(_ byte: UInt8) -> Bool { tokenBytes.contains(byte) }

    private static let tokenBytes = ASCIISet(lettersDigitsAnd: "!#$%&'*+-.^_`|~")
    private static let hostBytes = ASCIISet(lettersDigitsAnd: "-._~%!$&'()*+,;=:[]")

    package static func isHostByte(_ byte: UInt8) -> Bool { hostBytes.contains(byte) }

    private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }
}
