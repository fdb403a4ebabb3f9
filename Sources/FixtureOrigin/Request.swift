/// A header line, as it stood on the wire.
typealias Header = (name: String, value: String)

/// The head of a request, read as leniently as a client under test may need.
struct Request: Sendable {
    let method: String
    /// The request target with its query, undecoded.
    let target: String
    /// The minor version of HTTP/1.x.
    let minorVersion: Int
    let headers: [Header]
    /// What came after the head.
    var body: [UInt8] = []

    /// Reads a head, from the request line to before the empty line; nil when it is no HTTP/1.
    init?(head: [UInt8]) {
        var lines = head.split(separator: UInt8(ascii: "\n")).map { line in
            String(
                decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
        }[...]
        guard let requestLine = lines.popFirst()?.split(separator: " "), requestLine.count == 3,
            requestLine[2] == "HTTP/1.1" || requestLine[2] == "HTTP/1.0"
        else { return nil }
        var headers: [Header] = []
        for line in lines {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...]
            headers.append((String(line[..<colon]), String(value).trimmingBlanks()))
        }
        method = String(requestLine[0])
        target = String(requestLine[1])
        minorVersion = requestLine[2] == "HTTP/1.1" ? 1 : 0
        self.headers = headers
    }

    /// The target without its query; faults, holds and counts go by this.
    var path: String { String(target.prefix { $0 != "?" }) }

    /// The query's parameters in order, percent-decoded.
    var query: Query { Query(String(target.drop { $0 != "?" }.dropFirst())) }

    /// The value of the first header of that name, whatever its case.
    func header(_ name: String) -> String? { headers.first(named: name) }

    /// Whether the client wants the connection kept (RFC 9112 section 9.3).
    var keepsAlive: Bool {
        let options = (header("connection") ?? "").lowercased()
        return minorVersion == 1 ? !options.contains("close") : options.contains("keep-alive")
    }
}

extension [Header] {
    /// The value of the first header of that name, whatever its case.
    func first(named name: String) -> String? {
        first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// The parameters behind a question mark.
struct Query: Sendable {
    let parameters: [(name: String, value: String)]

    init(_ text: String) {
        parameters = text.split(separator: "&").map { part in
            let name = part.prefix { $0 != "=" }
            return (percentDecoded(name), percentDecoded(part.dropFirst(name.count + 1)))
        }
    }

    /// The first value of that name.
    subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// Every value of that name, in order.
    func all(_ name: String) -> [String] {
        parameters.filter { $0.name == name }.map(\.value)
    }
}

/// Undoes percent-encoding; a percent sign without two hex digits stands for itself.
private func percentDecoded(_ text: Substring) -> String {
    let bytes = Array(text.utf8)
    var decoded: [UInt8] = []
    var position = 0
    while position < bytes.count {
        if bytes[position] == UInt8(ascii: "%"), position + 2 < bytes.count,
            let value = UInt8(
                String(decoding: bytes[position + 1...position + 2], as: UTF8.self), radix: 16)
        {
            decoded.append(value)
            position += 3
        } else {
            decoded.append(bytes[position])
            position += 1
        }
    }
    return String(decoding: decoded, as: UTF8.self)
}

extension String {
    /// Without the spaces and tabs at both ends.
    func trimmingBlanks() -> String {
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        let start = self.drop(while: isBlank)
        return String(start.reversed().drop(while: isBlank).reversed())
    }
}
