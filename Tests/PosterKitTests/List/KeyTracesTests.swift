import Foundation
import Testing

@testable import PosterBase
@testable import PosterKit
@testable import PosterLists

@Suite struct KeyTracesTests {
    /// What a server may make of a text when it echoes it.
    private static let encodings: [@Sendable (String) -> String] = [
        { $0 }, { $0.uppercased() },
        { text in text.utf8.map { "%" + hex($0) }.joined() },
        { text in text.utf8.map { Bool.random() ? "%" + hex($0).lowercased() : byte($0) }.joined()
        },
        { text in text.utf8.map { "\\u00" + hex($0) }.joined() },
        { text in
            text.utf8.map { mustEscape($0) || Bool.random() ? "\\u00" + hex($0) : byte($0) }
                .joined()
        },
        { $0.replacing("\\", with: "\\\\").replacing("/", with: "\\/") },
        { text in text.utf8.map { "&#\($0);" }.joined() },
        { text in text.utf8.map { "&#x" + hex($0) + ";" }.joined() },
        { text in text.utf8.map(hex).joined() },
        { Data($0.utf8).base64EncodedString() },
        { Data(("Bearer " + $0).utf8).base64EncodedString() },
        { Data(("authorization: Bearer " + $0 + "\r\n").utf8).base64EncodedString() },
        { Data(("x" + $0 + "yz").utf8).base64EncodedString() },
        { Data(("xy" + $0 + "z").utf8).base64EncodedString() },
        { text in
            Data(("Bearer " + text).utf8).base64EncodedString().replacing("+", with: "-")
                .replacing("/", with: "_").replacing("=", with: "")
        },
        { text in
            Data(("Bearer " + text).utf8).base64EncodedString(options: .lineLength64Characters)
        },
        { text in Data(("k:" + text).utf8).base64EncodedString().map { "\($0)\\n" }.joined() },
    ]

    private static func mustEscape(_ byte: UInt8) -> Bool { "\"\\".utf8.contains(byte) }

    private static func hex(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return digits.count < 2 ? "0" + digits : digits
    }

    private static func byte(_ byte: UInt8) -> String { String(UnicodeScalar(byte)) }

    private static func key(_ length: Int) -> String {
        let alphabet = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/=")
        return String((0..<length).map { _ in alphabet.randomElement() ?? "x" })
    }

    @Test func `a key is found in every encoding, and in two of them one upon the other`() {
        for length in [8, 9, 10, 11, 32, 64, 200] {
            for _ in 0..<3 {
                let key = Self.key(length)
                let traces = KeyTraces(Secret(key))
                for (index, inner) in Self.encodings.enumerated() {
                    let echo = "{\"message\":\"you sent \(inner(key)) to us\"}"
                    #expect(traces.areIn(echo), "\(index) of \(key): \(echo)")
                    // On top of base64 come the encodings that keep its case.
                    for (outer, encode) in Self.encodings.enumerated() where outer != 1 && outer < 9
                    {
                        #expect(traces.areIn(encode(echo)), "\(index) in \(outer): \(encode(echo))")
                    }
                }
            }
        }
    }

    @Test func `it is found at every place of an answer`() {
        let key = Self.key(24)
        let traces = KeyTraces(Secret(key))
        for before in 0..<70 {
            for after in 0..<3 {
                let text =
                    String(repeating: "a", count: before) + key
                    + String(repeating: "b", count: after)
                #expect(traces.areIn(text))
                #expect(traces.areIn(Data(text.utf8).base64EncodedString()))
            }
        }
    }

    @Test func `answers without it are let pass`() throws {
        for file in ["3/trending/movie/week.json"] {
            guard let bytes = try? Fixtures.bytes(file) else { continue }
            #expect(!KeyTraces(Secret("fixture-key")).areIn(bytes))
        }
        for _ in 0..<200 {
            let traces = KeyTraces(Secret(Self.key(32)))
            #expect(!traces.areIn(Self.key(4000)))
            #expect(!traces.areIn(Data(Self.key(4000).utf8).base64EncodedString()))
        }
    }

    @Test func `what is no escape traps nothing`() {
        let traces = KeyTraces(Secret(Self.key(8)))
        let pieces = [
            "%", "%4", "%zz", "\\", "\\u", "\\u00", "\\u+001", "&", "&#", "&#x", "&#x;", "&#;",
            "&#99999999;", "&#x7fffffff;", "&#-5;", ";", "a", "é",
        ]
        for _ in 0..<5000 {
            let text = (0..<Int.random(in: 0...6)).map { _ in pieces.randomElement() ?? "" }
            #expect(!traces.areIn(text.joined()))
        }
        #expect(!KeyTraces(Secret("")).areIn("anything"))
        #expect(!KeyTraces(Secret("film")).areIn("a film"))
    }
}
