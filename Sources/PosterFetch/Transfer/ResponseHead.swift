import Amodb

/// The status line and header fields of an answer, read line by line as libcurl hands them over,
/// and refused where they break HTTP's framing (RFC 9112, sections 2.2, 5 and 6).
///
/// libcurl takes the last of two `Content-Length`, ignores one beside `Transfer-Encoding`, and
/// bounds the head at 300 kB or not at all; all of that is decided here instead.
struct ResponseHead: Sendable {
    private let limits: TransferLimits
    private var version = ""
    private var lines = 0
    private var bytes = 0

    /// The status of the answer, or of an interim answer before it; 0 before the first line.
    private(set) var status = 0
    /// Header fields in the order received, names in lower case.
    private(set) var fields: [(name: String, value: String)] = []
    /// Whether the empty line after the final answer's fields has come. What comes later are
    /// trailers, which are counted and dropped.
    private(set) var isComplete = false
    /// `Content-Length`, where there is a usable one.
    private(set) var contentLength: Int?

    init(limits: TransferLimits) { self.limits = limits }

    /// Bytes of all lines so far.
    var byteCount: Int { bytes }
    /// Whether the status says that the body is what was asked for.
    var isSuccess: Bool { 200...299 ~= status }

    /// Takes one line, its line end included. Throws `.framing`.
    mutating func take(_ line: UnsafeRawBufferPointer) throws(FetchError) {
        lines += 1
        bytes += line.count
        guard lines <= limits.headLines, bytes <= limits.headBytes else {
            throw FetchError(.framing, "a head of over \(lines - 1) lines or \(bytes) bytes")
        }
        guard !isComplete else { return }
        var end = line.count
        while end > 0, line[end - 1] == 0x0A || line[end - 1] == 0x0D { end -= 1 }
        let text = line[..<end]
        guard text.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
            throw FetchError(.framing, "a control character in the head")
        }
        if text.isEmpty { return try finishBlock() }
        if text.starts(with: "HTTP/".utf8) { return try startBlock(text) }
        try addField(text)
    }

    private mutating func startBlock(_ line: Slice<UnsafeRawBufferPointer>) throws(FetchError) {
        let words = line.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count >= 2, words[1].count == 3, let code = Self.number(words[1]),
            100...999 ~= code
        else { throw FetchError(.framing, "status line \(Self.quoted(line))") }
        version = String(decoding: words[0], as: UTF8.self)
        status = code
        fields = []
    }

    private mutating func addField(_ line: Slice<UnsafeRawBufferPointer>) throws(FetchError) {
        guard let first = line.first, first != 0x20, first != 0x09 else {
            throw FetchError(.framing, "a folded header line")
        }
        guard let colon = line.firstIndex(of: 0x3A), colon > line.startIndex,
            line[..<colon].allSatisfy(Self.isTokenByte)
        else { throw FetchError(.framing, "header line \(Self.quoted(line))") }
        var value = line[(colon + 1)...]
        while let byte = value.first, byte == 0x20 || byte == 0x09 { value.removeFirst() }
        while let byte = value.last, byte == 0x20 || byte == 0x09 { value.removeLast() }
        let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
        fields.append((name, String(decoding: value, as: UTF8.self)))
    }

    private mutating func finishBlock() throws(FetchError) {
        guard status >= 200 || status == 101 else {
            fields = []
            return
        }
        contentLength = try agreedLength()
        let codings = values(of: "transfer-encoding")
        if !codings.isEmpty {
            guard codings.count == 1, codings[0].lowercased() == "chunked",
                version == "HTTP/1.1"
            else {
                let list = Quoted(codings.joined(separator: ", "))
                throw FetchError(.framing, "Transfer-Encoding \(list) in \(version)")
            }
            guard contentLength == nil else {
                throw FetchError(.framing, "Content-Length beside Transfer-Encoding")
            }
        }
        isComplete = true
    }

    /// The one value of `Content-Length`; repeated ones must agree (RFC 9110, section 8.6).
    private func agreedLength() throws(FetchError) -> Int? {
        var agreed: Int?
        for value in values(of: "content-length") {
            for part in value.split(separator: ",", omittingEmptySubsequences: false) {
                let digits = part.trimmingSpaces()
                guard let length = Self.number(digits.utf8), agreed == nil || agreed == length
                else { throw FetchError(.framing, "Content-Length \(Quoted(value))") }
                agreed = length
            }
        }
        return agreed
    }

    /// Whether the connection is good for another request when the body has come: in HTTP/1.1
    /// unless the host says otherwise, where the body's end is marked (RFC 9112, section 9.3).
    var keepsConnection: Bool {
        let closes = values(of: "connection").contains { value in
            value.split(separator: ",").contains { $0.trimmingSpaces().lowercased() == "close" }
        }
        let isMarked = contentLength != nil || !values(of: "transfer-encoding").isEmpty
        return version == "HTTP/1.1" && !closes && isMarked
    }

    /// All values of a field, in order.
    func values(of name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    /// The first content coding that is not identity; `nil` when the bytes are the thing itself.
    var foreignCoding: String? {
        values(of: "content-encoding").first { value in
            value.split(separator: ",").contains { $0.trimmingSpaces().lowercased() != "identity" }
        }
    }

    private static func number(_ digits: some Collection<UInt8>) -> Int? {
        // Eighteen digits cannot overflow.
        guard 1...18 ~= digits.count, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// `tchar` of RFC 9110, section 5.6.2.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    private static func quoted(_ bytes: Slice<UnsafeRawBufferPointer>) -> Quoted {
        Quoted(String(decoding: bytes.prefix(Quoted.shownBytes), as: UTF8.self))
    }
}

extension Quoted {
    /// More bytes than this need not be decoded to show a quotation.
    fileprivate static let shownBytes = 1024
}

extension StringProtocol {
    /// Without spaces and tabs at both ends: HTTP's optional white space.
    package func trimmingSpaces() -> SubSequence {
        var text = self[...]
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }
}
