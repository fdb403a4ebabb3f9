import Glibc

/// Reads lines from a file descriptor as they come. Blocks for the next ones.
struct LineReader {
    private let file: Int32
    private var rest: [UInt8] = []
    private var isAtEnd = false

    /// A line longer than this is no line of ours; it is cut, so that memory stays bounded.
    private static let longestLine = 1 << 20
    private static let pieceBytes = 1 << 16

    init(file: Int32) { self.file = file }

    /// The lines that came, without their ends (`\n` or `\r\n`); `nil` at the end of the file. A
    /// last line without an end counts; an empty one after the last end does not.
    mutating func next() throws(InputError) -> [String]? {
        guard !isAtEnd else { return nil }
        let piece = try readSome(file, upTo: Self.pieceBytes, name: "standard input")
        rest += piece
        guard !piece.isEmpty else {
            isAtEnd = true
            return rest.isEmpty ? nil : [Self.text(rest[...])]
        }
        var lines: [String] = []
        var start = rest.startIndex
        while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(Self.text(rest[start..<end]))
            start = end + 1
        }
        rest.removeFirst(start)
        if rest.count > Self.longestLine { rest.removeLast(rest.count - Self.longestLine) }
        return lines
    }

    private static func text(_ line: ArraySlice<UInt8>) -> String {
        let isDOS = line.last == UInt8(ascii: "\r")
        return String(decoding: isDOS ? line.dropLast() : line, as: UTF8.self)
    }
}
