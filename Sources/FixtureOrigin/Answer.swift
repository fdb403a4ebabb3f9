/// A well-formed response before it is framed: faults bend one of these.
struct Answer: Sendable {
    /// How the head tells where the body ends.
    enum Framing {
        /// One `Content-Length` line.
        case length(Int)
        /// `Content-Length` lines with these values, however wrong.
        case lengths([String])
        /// `Transfer-Encoding: chunked`.
        case chunked
        /// `Connection: close` and no length.
        case untilClose
        /// Nothing at all, as for 204 and 304.
        case none
    }

    var status: Int
    var headers: [Header] = []
    var body: [UInt8] = []

    /// The body's own framing: its length, or nothing for a status that has no body.
    var framing: Framing { hasBody ? .length(body.count) : .none }

    /// Whether the status allows a body (RFC 9110 section 6.4.1).
    var hasBody: Bool { status >= 200 && status != 204 && status != 304 }

    /// The head on the wire, from the status line to the empty line.
    func head(_ framing: Framing, version: String = "HTTP/1.1", extra: [Header] = []) -> [UInt8] {
        var lines: [Header] = [("Date", HTTPDate.now.text)] + headers
        switch framing {
        case .length(let count): lines.append(("Content-Length", String(count)))
        case .lengths(let values): lines += values.map { ("Content-Length", $0) }
        case .chunked: lines.append(("Transfer-Encoding", "chunked"))
        case .untilClose: lines.append(("Connection", "close"))
        case .none: break
        }
        let text = (lines + extra).map { "\($0.name): \($0.value)\r\n" }.joined()
        return Array("\(version) \(status) \(reason(of: status))\r\n\(text)\r\n".utf8)
    }

    /// The whole response to one request: HEAD without a body, and what becomes of the connection.
    func bytes(for request: Request) -> [UInt8] {
        let connection: [Header] =
            switch (request.keepsAlive, request.minorVersion) {
            case (false, _): [("Connection", "close")]
            case (true, 0): [("Connection", "keep-alive")]
            default: []
            }
        let head = head(framing, extra: connection)
        return hasBody && request.method != "HEAD" ? head + body : head
    }

    /// 304 instead of a 200 that the client has already (RFC 9110 section 13.1).
    func revalidated(for request: Request) -> Answer {
        guard status == 200 else { return self }
        let isCurrent: Bool
        if let condition = request.header("if-none-match") {
            isCurrent = headers.first(named: "etag").map { matches($0, condition) } ?? false
        } else if let condition = request.header("if-modified-since").flatMap(HTTPDate.init),
            let modified = headers.first(named: "last-modified").flatMap(HTTPDate.init)
        {
            isCurrent = modified.secondsSince1970 <= condition.secondsSince1970
        } else {
            isCurrent = false
        }
        guard isCurrent else { return self }
        return Answer(status: 304, headers: headers.filter { $0.name != "Content-Type" })
    }

    /// The answer with these headers instead of its own of the same names.
    func replacing(_ replacements: [Header]) -> Answer {
        var answer = self
        answer.headers.removeAll { replacements.first(named: $0.name) != nil }
        answer.headers += replacements
        return answer
    }
}

/// Weak comparison of an entity tag with an If-None-Match list (RFC 9110 section 8.8.3.2).
private func matches(_ tag: String, _ list: String) -> Bool {
    let opaque = { (tag: String) in tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag }
    return list.split(separator: ",").map { String($0).trimmingBlanks() }
        .contains { $0 == "*" || opaque($0) == opaque(tag) }
}

private func reason(of status: Int) -> String {
    let reasons = [
        100: "Continue", 102: "Processing", 103: "Early Hints", 200: "OK", 204: "No Content",
        205: "Reset Content", 206: "Partial Content", 301: "Moved Permanently", 302: "Found",
        303: "See Other", 304: "Not Modified", 307: "Temporary Redirect",
        308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized",
        402: "Payment Required", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
        410: "Gone", 429: "Too Many Requests", 500: "Internal Server Error",
        502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
    ]
    return reasons[status] ?? "Unnamed"
}
