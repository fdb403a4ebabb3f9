/// The head of a request: what the answer depends on, and what makes it refusable.
///
/// Fields that may come once are empty, and so unreadable to every parser, when they come twice;
/// lists are joined (RFC 9110, section 5.3).
struct RequestHead: Sendable {
    /// As sent: methods are case-sensitive.
    var method = "GET"
    /// `HTTP/1.0`, `HTTP/1.1`
    var version = "HTTP/1.1"
    var host: String?
    var contentLength: String?
    var transferEncoding: String?
    var expect: String?
    var ifMatch: String?
    var ifNoneMatch: String?
    var ifModifiedSince: String?
    var ifUnmodifiedSince: String?
    var ifRange: String?
    var range: String?
    var authorization: String?
    var accept: String?
    var acceptLanguage: String?
    var cookie: String?
    /// What it takes of its connection's memory.
    var bytesOfMemory = 0
    /// What is wrong with the framing, if anything is.
    private(set) var fault: String?

    /// Takes one field line in.
    mutating func add(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
        guard !name.isEmpty, name.allSatisfy(isTokenByte) else {
            return fail("a field name that is no token")
        }
        guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
            return fail("a control character in a field")
        }
        guard let field = Field(name) else { return }
        let text = Self.trimmed(value)
        guard let before = self[field] else {
            self[field] = text
            return
        }
        switch field.repetition {
        case .list: self[field] = before + ", " + text
        case .unreadable: self[field] = ""
        case .fault: fail("two \(field.rawValue) fields")
        }
    }

    /// Whether the answer depends on nothing but the target.
    var isUnconditional: Bool {
        ifMatch == nil && ifNoneMatch == nil && ifModifiedSince == nil && ifUnmodifiedSince == nil
            && range == nil && method != "OPTIONS"
    }

    /// Notes that the head breaks HTTP's framing. The first fault is the one that is told.
    mutating func fail(_ what: String) {
        if fault == nil { fault = what }
    }

    /// Why the request is refused before anybody looks at what it asks for. The library lets all
    /// of these pass; each of them is a way to make two servers see different requests.
    func refusal(allowed methods: [String]) -> RequestRefusal? {
        func bad(_ what: String) -> RequestRefusal {
            RequestRefusal(400, "bad_request", "the request has \(what)")
        }
        if let fault { return bad(fault) }
        guard !method.isEmpty, method.utf8.allSatisfy(isTokenByte) else {
            return bad("a method that is no token")
        }
        if host == nil, version != "HTTP/1.0" { return bad("no Host field") }
        if let host, !host.utf8.allSatisfy(Self.isHostByte) { return bad("a malformed Host field") }
        if let contentLength, !Self.isLength(contentLength) { return bad("a malformed length") }
        if transferEncoding != nil, contentLength != nil {
            return bad("both Content-Length and Transfer-Encoding")
        }
        if transferEncoding != nil, version == "HTTP/1.0" {
            return bad("Transfer-Encoding in HTTP/1.0")
        }
        guard methods.contains(method) else {
            let allowed = methods.joined(separator: ", ")
            return RequestRefusal(405, "method_not_allowed", "only \(allowed) are served")
        }
        if expect != nil { return RequestRefusal(417, "expectation_failed", "no Expect is met") }
        if transferEncoding != nil || contentLength?.allSatisfy({ $0 == "0" }) == false {
            return bad("a body, which no method here has")
        }
        return nil
    }

    private static func isLength(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { 0x30...0x39 ~= $0 }
    }

    private static let hostBytes = ASCIISet(lettersDigitsAnd: "-._~%!$&'()*+,;=:[]")

    private static func isHostByte(_ byte: UInt8) -> Bool {
        hostBytes.contains(byte)
    }

    private static func trimmed(_ value: UnsafeBufferPointer<UInt8>) -> String {
        var rest = value[...]
        while let last = rest.last, last == 0x20 || last == 0x09 { rest.removeLast() }
        return String(decoding: rest, as: UTF8.self)
    }
}

private let tokenBytes = ASCIISet(lettersDigitsAnd: "!#$%&'*+-.^_`|~")

/// RFC 9110, section 5.6.2.
private func isTokenByte(_ byte: UInt8) -> Bool {
    tokenBytes.contains(byte)
}

extension RequestHead {
    /// What a field is worth when it comes twice.
    private enum Repetition {
        case list, unreadable, fault
    }

    /// The fields that matter here, by their names in lower case.
    private enum Field: String, CaseIterable {
        case host, range, expect, cookie, authorization, accept
        case contentLength = "content-length"
        case transferEncoding = "transfer-encoding"
        case ifMatch = "if-match"
        case ifNoneMatch = "if-none-match"
        case ifModifiedSince = "if-modified-since"
        case ifUnmodifiedSince = "if-unmodified-since"
        case ifRange = "if-range"
        case acceptLanguage = "accept-language"

        private static let names = allCases.map { ($0, Array($0.rawValue.utf8)) }

        init?(_ name: UnsafeBufferPointer<UInt8>) {
            let found = Self.names.first { _, bytes in
                bytes.count == name.count && zip(bytes, name).allSatisfy { $0 == $1 | 0x20 }
            }
            guard let found else { return nil }
            self = found.0
        }

        var repetition: Repetition {
            switch self {
            case .host, .contentLength, .transferEncoding: .fault
            case .expect, .ifMatch, .ifNoneMatch, .accept, .acceptLanguage: .list
            case .range, .cookie, .authorization, .ifModifiedSince, .ifUnmodifiedSince, .ifRange:
                .unreadable
            }
        }
    }

    // Not by key paths: this runs for each field of each request, and a key path costs ten times
    // a switch.
    private subscript(field: Field) -> String? {
        get {
            switch field {
            case .host: host
            case .range: range
            case .expect: expect
            case .cookie: cookie
            case .authorization: authorization
            case .contentLength: contentLength
            case .transferEncoding: transferEncoding
            case .ifMatch: ifMatch
            case .ifNoneMatch: ifNoneMatch
            case .ifModifiedSince: ifModifiedSince
            case .ifUnmodifiedSince: ifUnmodifiedSince
            case .ifRange: ifRange
            case .accept: accept
            case .acceptLanguage: acceptLanguage
            }
        }
        set {
            switch field {
            case .host: host = newValue
            case .range: range = newValue
            case .expect: expect = newValue
            case .cookie: cookie = newValue
            case .authorization: authorization = newValue
            case .contentLength: contentLength = newValue
            case .transferEncoding: transferEncoding = newValue
            case .ifMatch: ifMatch = newValue
            case .ifNoneMatch: ifNoneMatch = newValue
            case .ifModifiedSince: ifModifiedSince = newValue
            case .ifUnmodifiedSince: ifUnmodifiedSince = newValue
            case .ifRange: ifRange = newValue
            case .accept: accept = newValue
            case .acceptLanguage: acceptLanguage = newValue
            }
        }
    }
}
