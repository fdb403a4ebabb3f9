import Glibc

/// Reads one request head (RFC 9112, sections 2 to 5) out of bytes that arrive in pieces.
///
/// The caller keeps the bytes of the head together and calls ``parse(_:limit:)`` with all of them
/// whenever more have come. Each line is read once, when its end is there, so a head that comes byte
/// by byte costs no more than a whole one, and how it was split does not change the result.
///
/// Lines end in CRLF. A bare CR or LF, a folded line, whitespace around a name and a control
/// character are refused: a proxy in front may read them otherwise, and then the two would see
/// different requests.
struct HeadParser: Sendable {
    /// What the bytes so far come to.
    enum Progress: Equatable {
        /// The head goes on.
        case incomplete
        /// The head is whole; it has so many bytes, the empty line included.
        case complete(length: Int)
        /// The head is refused, whatever follows.
        case refused(HeadFault)
    }

    /// What has been read: a whole head once ``Progress/complete(length:)`` was returned.
    private(set) var head = RequestHead()
    /// Where the first line begins that has not been read.
    private var lineStart = 0
    /// No line ends between `lineStart` and here.
    private var searched = 0
    /// Whether the request line has been read and is in order.
    private(set) var hasRequestLine = false
    /// Field lines that have been read.
    private var fieldCount = 0
    /// More field lines than any client sends, which are each looked at.
    private static let mostFields = 200

    /// Removes the `X-Forwarded-` fields of a client that is no trusted proxy.
    mutating func removeForwarded() { head.removeForwarded() }

    /// Reads on. `bytes` begins with the head's first byte; `limit` is the most that a head may have.
    mutating func parse(_ bytes: UnsafeBufferPointer<UInt8>, limit: Int) -> Progress {
        let end = min(bytes.count, limit)
        while true {
            if !hasRequestLine, lineStart < end, !Self.mayBegin(bytes[lineStart]) {
                return .refused(.malformed("no method"))
            }
            guard let newline = Self.newline(in: bytes, from: searched, to: end) else {
                searched = end
                if end < limit { return .incomplete }
                return .refused(hasRequestLine ? .headTooLarge : .targetTooLong)
            }
            guard newline > lineStart, bytes[newline - 1] == Self.carriageReturn else {
                return .refused(.malformed("a line that does not end in CRLF"))
            }
            let line = UnsafeBufferPointer(rebasing: bytes[lineStart..<newline - 1])
            (lineStart, searched) = (newline + 1, newline + 1)
            do throws(HeadFault) {
                if !line.isEmpty {
                    try read(line)
                } else if hasRequestLine {
                    try head.checkFraming()
                    return .complete(length: lineStart)
                }
                // An empty line before the request line is skipped (RFC 9112, section 2.2).
            } catch { return .refused(error) }
        }
    }

    private mutating func read(_ line: UnsafeBufferPointer<UInt8>) throws(HeadFault) {
        if hasRequestLine {
            fieldCount += 1
            guard fieldCount <= Self.mostFields else { throw .headTooLarge }
            try readField(line)
        } else {
            try readRequestLine(line)
            hasRequestLine = true
        }
    }

    /// `method SP request-target SP HTTP-version` (section 3).
    private mutating func readRequestLine(_ line: UnsafeBufferPointer<UInt8>) throws(HeadFault) {
        guard let methodEnd = Self.space(in: line, from: 0),
            let targetEnd = Self.space(in: line, from: methodEnd + 1)
        else { throw .malformed("a malformed request line") }
        let method = UnsafeBufferPointer(rebasing: line[..<methodEnd])
        let target = UnsafeBufferPointer(rebasing: line[(methodEnd + 1)..<targetEnd])
        guard !method.isEmpty, method.allSatisfy(RequestHead.isTokenByte) else {
            throw .malformed("a method that is no token")
        }
        guard !target.isEmpty, target.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw .malformed("a malformed request line")
        }
        // Before the version, because the answer to HEAD has no body, whatever the version.
        head.method = Self.method(method)
        head.target = String(decoding: target, as: UTF8.self)
        head.minorVersion = try Self.minorVersion(
            UnsafeBufferPointer(rebasing: line[(targetEnd + 1)...]))
    }

    /// `field-name ":" OWS field-value OWS` (section 5).
    private mutating func readField(_ line: UnsafeBufferPointer<UInt8>) throws(HeadFault) {
        guard let start = line.baseAddress,
            let found = memchr(start, Int32(UInt8(ascii: ":")), line.count)
        else { throw .malformed("a field without a colon") }
        let colon = UnsafeRawPointer(found) - UnsafeRawPointer(start)
        let name = UnsafeBufferPointer(rebasing: line[..<colon])
        guard !name.isEmpty, name.allSatisfy(RequestHead.isTokenByte) else {
            throw .malformed("a field name that is no token")
        }
        var (first, last) = (colon + 1, line.count)
        while first < last, Self.isBlank(line[first]) { first += 1 }
        while first < last, Self.isBlank(line[last - 1]) { last -= 1 }
        let value = UnsafeBufferPointer(rebasing: line[first..<last])
        guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
            throw .malformed("a control character in a field")
        }
        try head.add(name, value)
    }

    /// The `x` of `HTTP/1.x` (section 2.3).
    private static func minorVersion(
        _ text: UnsafeBufferPointer<UInt8>
    ) throws(HeadFault) -> UInt8 {
        guard text.count == 8, text.prefix(5).elementsEqual("HTTP/".utf8), isDigit(text[5]),
            text[6] == UInt8(ascii: "."), isDigit(text[7])
        else { throw .malformed("a malformed version") }
        guard text[5] == UInt8(ascii: "1") else { throw .version }
        return text[7] - UInt8(ascii: "0")
    }

    private static func method(_ text: UnsafeBufferPointer<UInt8>) -> String {
        text.elementsEqual("GET".utf8) ? "GET" : String(decoding: text, as: UTF8.self)
    }

    private static let carriageReturn: UInt8 = 0x0D

    /// Whether a request may begin so: with its method, or with an empty line.
    private static func mayBegin(_ byte: UInt8) -> Bool {
        RequestHead.isTokenByte(byte) || byte == carriageReturn
    }

    private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func newline(
        in bytes: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int
    ) -> Int? {
        guard start < end, let base = bytes.baseAddress,
            let found = memchr(base + start, 0x0A, end - start)
        else { return nil }
        return UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }

    private static func space(in line: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        guard start < line.count, let base = line.baseAddress,
            let found = memchr(base + start, 0x20, line.count - start)
        else { return nil }
        return UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }
}
