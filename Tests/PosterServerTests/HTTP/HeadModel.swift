import Foundation

@testable import PosterHTTP
@testable import PosterServer

/// What RFC 9112 makes of bytes, by splitting and regular expressions: all at once, never
/// incrementally.
struct HeadModel {
    enum Outcome {
        case incomplete
        case refused(status: Int)
        case complete(length: Int, head: RequestHead)
    }

    let outcome: Outcome

    init(_ bytes: [UInt8], limit: Int) {
        // One character a byte, so that positions are byte positions.
        let text = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        outcome = Self.outcome(text, limit)
    }

    private static func outcome(_ text: String, _ limit: Int) -> Outcome {
        var lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            .map { String($0) }
        // What follows the last LF is a line that goes on.
        let rest = lines.removeLast()
        var (length, requestLine, fields) = (0, String?.none, [String]())
        func refused(_ status: Int) -> Outcome { .refused(status: status) }
        for line in lines {
            if requestLine == nil, !matches(line + "\n", "^(?s:[\(token)\\r])") {
                return refused(400)
            }
            guard length + line.unicodeScalars.count + 1 <= limit else {
                return refused(requestLine == nil ? 414 : 431)
            }
            length += line.unicodeScalars.count + 1
            guard line.unicodeScalars.last == "\r" else { return refused(400) }
            let content = String(line.unicodeScalars.dropLast())
            if content.isEmpty, let requestLine { return whole(requestLine, fields, length) }
            if content.isEmpty { continue }
            if requestLine == nil {
                if matches(content, "^[\(token)]+ [\\x21-\\x7E\\x80-\\xFF]+ HTTP/[02-9]\\.[0-9]\\z")
                {
                    return refused(505)
                }
                guard matches(content, "^[\(token)]+ [\\x21-\\x7E\\x80-\\xFF]+ HTTP/1\\.[0-9]\\z")
                else {
                    return refused(400)
                }
                requestLine = content
            } else {
                // More than any client sends.
                guard fields.count < 200 else { return refused(431) }
                guard matches(content, "^[\(token)]+:[\\t\\x20-\\x7E\\x80-\\xFF]*\\z") else {
                    return refused(400)
                }
                fields.append(content)
                // A field that may come once ends the reading where it comes again.
                let name = lowercasedName(content)
                if ["host", "content-length", "transfer-encoding"].contains(name),
                    fields.count(where: { lowercasedName($0) == name }) > 1
                {
                    return refused(400)
                }
            }
        }
        if requestLine == nil, !rest.isEmpty, length < limit, !matches(rest, "^(?s:[\(token)\\r])")
        {
            return refused(400)
        }
        if length + rest.unicodeScalars.count < limit { return .incomplete }
        return refused(requestLine == nil ? 414 : 431)
    }

    private static func whole(_ requestLine: String, _ fields: [String], _ length: Int) -> Outcome {
        let words = requestLine.components(separatedBy: " ")
        var head = RequestHead()
        head.method = words[0]
        head.target = utf8(words[1])
        head.minorVersion = UInt8(words[2].suffix(1)) ?? 0
        for field in fields {
            let value = field.unicodeScalars.split(
                separator: ":", maxSplits: 1, omittingEmptySubsequences: false)[1]
            let text = utf8(
                String(value).trimmingCharacters(in: CharacterSet(charactersIn: " \t")))
            set(lowercasedName(field), text, &head)
        }
        if head.minorVersion > 0, head.host == nil { return .refused(status: 400) }
        if let host = head.host, host.contains("/") || !host.allSatisfy(\.isASCII) {
            return .refused(status: 400)
        }
        if let host = head.host, !matches(host, "^[A-Za-z0-9._~%!$&'()*+,;=:\\[\\]-]*\\z") {
            return .refused(status: 400)
        }
        if let length = head.contentLength, !matches(length, "^[0-9]+\\z") {
            return .refused(status: 400)
        }
        if head.transferEncoding != nil, head.contentLength != nil || head.minorVersion == 0 {
            return .refused(status: 400)
        }
        return .complete(length: length, head: head)
    }

    private static func set(_ name: String, _ text: String, _ head: inout RequestHead) {
        func list(_ path: WritableKeyPath<RequestHead, String?>) {
            head[keyPath: path] = head[keyPath: path].map { $0 + ", " + text } ?? text
        }
        func once(_ path: WritableKeyPath<RequestHead, String?>) {
            head[keyPath: path] = head[keyPath: path] == nil ? text : ""
        }
        switch name {
        case "host": once(\.host)
        case "content-length": once(\.contentLength)
        case "transfer-encoding": once(\.transferEncoding)
        case "connection": list(\.connection)
        case "expect": list(\.expect)
        case "if-match": list(\.ifMatch)
        case "if-none-match": list(\.ifNoneMatch)
        case "accept": list(\.accept)
        case "accept-language": list(\.acceptLanguage)
        case "priority": list(\.priority)
        case "x-forwarded-for": list(\.forwardedFor)
        case "x-forwarded-proto": list(\.forwardedProto)
        case "range": once(\.range)
        case "cookie": once(\.cookie)
        case "authorization": once(\.authorization)
        case "if-modified-since": once(\.ifModifiedSince)
        case "if-unmodified-since": once(\.ifUnmodifiedSince)
        case "if-range": once(\.ifRange)
        default: break
        }
    }

    private static let token = "!#$%&'*+\\-.^_`|~0-9A-Za-z"

    private static func lowercasedName(_ field: String) -> String {
        String(String.UnicodeScalarView(field.unicodeScalars.prefix { $0 != ":" })).lowercased()
    }

    /// The bytes that stand for one character each, as UTF-8.
    private static func utf8(_ text: String) -> String {
        String(decoding: text.unicodeScalars.map { UInt8($0.value) }, as: UTF8.self)
    }

    private static func matches(_ text: String, _ pattern: String) -> Bool {
        // `$` would match before a final line break as well.
        let isOneLine = !text.unicodeScalars.contains { $0 == "\r" || $0 == "\n" }
        return text.range(of: pattern, options: .regularExpression) != nil
            && (isOneLine || !pattern.hasSuffix("\\z"))
    }
}
