import Foundation
import Testing

@testable import PosterKit
@testable import PosterLists

@Suite struct JSONMembersTests {
    /// A random JSON value, and its text with random space.
    private func value(_ depth: Int) -> String {
        let space = { ["", " ", "\n\t", "\r"].randomElement() ?? "" }
        switch Int.random(in: 0..<(depth > 3 ? 5 : 7)) {
        case 0: return "null"
        case 1: return ["true", "false"].randomElement() ?? "true"
        case 2: return ["0", "-1.5e+10", "12345678901234567890", "0.1"].randomElement() ?? "0"
        case 3: return string()
        case 4: return "\(Int.random(in: -99...99))"
        case 5:
            let items = (0..<Int.random(in: 0...3)).map { _ in space() + value(depth + 1) + space()
            }
            return "[\(items.joined(separator: ","))\(items.isEmpty ? space() : "")]"
        default: return object(depth).text
        }
    }

    private func string() -> String {
        let pieces = [
            "a", "Ж", "\\\"", "\\\\", "{", "}", "[", "]", ",", ":", " ", "\\u0041", "\\/",
        ]
        let text = (0..<Int.random(in: 0...6)).map { _ in pieces.randomElement() ?? "a" }
        return "\"\(text.joined())\""
    }

    private func object(_ depth: Int) -> (text: String, members: [(String, String)]) {
        let space = { ["", " ", "\n\t", "\r"].randomElement() ?? "" }
        let members = (0..<Int.random(in: 0...4)).map { _ in (string(), value(depth + 1)) }
        let texts = members.map { space() + $0.0 + space() + ":" + space() + $0.1 + space() }
        return ("{\(texts.joined(separator: ","))\(texts.isEmpty ? space() : "")}", members)
    }

    @Test func `the members of any object come as they are written`() throws {
        for _ in 0..<5000 {
            let (text, members) = object(0)
            try #require(JSONSyntax.fault(in: Array(text.utf8)) == nil, "\(text)")
            let read = try #require(JSONMembers.of(Array((" " + text + " ").utf8)[...]), "\(text)")
            let found = read.map {
                (
                    "\"\(String(decoding: $0.name, as: UTF8.self))\"",
                    String(decoding: $0.value, as: UTF8.self)
                )
            }
            #expect(found.map(\.0) == members.map(\.0), "\(text)")
            #expect(found.map(\.1) == members.map(\.1), "\(text)")
        }
    }

    @Test func `bytes that are no object trap nothing`() {
        for _ in 0..<5000 {
            var bytes = Array(object(0).text.utf8)
            for _ in 0..<Int.random(in: 1...3) {
                guard !bytes.isEmpty else { break }
                let index = bytes.indices.randomElement() ?? 0
                switch Int.random(in: 0..<3) {
                case 0: bytes.remove(at: index)
                case 1: bytes[index] = "{}[]\",:\\ 1a".utf8.randomElement() ?? 0
                default: bytes.removeLast(bytes.count - index)
                }
            }
            _ = JSONMembers.of(bytes[...])
        }
        for text in ["", " ", "{", "[]", "1", "{\"a\"", "{\"a\":", "{\"\\", "}"] {
            #expect(JSONMembers.of(Array(text.utf8)[...]) == nil)
        }
    }
}
