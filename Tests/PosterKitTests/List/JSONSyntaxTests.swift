import Foundation
import Testing

@testable import PosterKit
@testable import PosterLists

@Suite struct JSONSyntaxTests {
    @Test(
        "what a JSON text may be",
        arguments: [
            "{}", "[]", " {} \r\n\t", "[1]", "[-0.5e+10,0,10,1E2]", "{\"a\":{\"b\":[{},[],null]}}",
            "[\"\\u00e9\\\"\\\\\\/\\b\\f\\n\\r\\t\",\"é\u{7F}\"]", "{\"a\":1,\"a\":2}",
            "[true,false]",
            "[[[[]]]]", "[ [ ] , { } ]", "{ \"a\" : 1 , \"b\" : [ ] }",
        ])
    func accepted(text: String) throws {
        #expect(JSONSyntax.fault(in: Array(text.utf8)) == nil)
        #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(text.utf8)) }
    }

    @Test(
        "what is none",
        arguments: [
            "", " ", "{", "[", "}", "{}{}", "[]x", "1", "\"a\"", "null", "<html>", "[1,]", "[,1]",
            "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{1:1}", "['a']", "[01]", "[1.]", "[.5]",
            "[+1]", "[1e]", "[-]", "[tru]", "[\"a]", "[\"\\x\"]", "[\"\\u12g4\"]", "[\"\n\"]",
            "[1 2]",
            "[1}", "{\"a\":1]", "\u{FEFF}{}", "// {}", "[NaN]", "[\"\\", "{\"a\":[1,2}",
        ])
    func refused(text: String) {
        #expect(JSONSyntax.fault(in: Array(text.utf8)) != nil)
    }

    @Test func `every cut of a list is none`() {
        let list = Array("{\"results\":[{\"id\":1,\"title\":\"A \\u00e9\",\"n\":-1.5e3}]}".utf8)
        #expect(JSONSyntax.fault(in: list) == nil)
        for length in 0..<list.count {
            #expect(JSONSyntax.fault(in: Array(list.prefix(length))) != nil)
        }
    }

    @Test func `bytes that are no UTF-8 are none`() {
        #expect(JSONSyntax.fault(in: [0x5B, 0x22, 0xFF, 0x22, 0x5D]) == "it is not UTF-8")
    }

    @Test func `nesting is bounded, and a deep one costs no stack`() {
        let nested = { Array(repeating: UInt8(ascii: "["), count: $0) }
        let closed = { nested($0) + Array(repeating: UInt8(ascii: "]"), count: $0) }
        #expect(JSONSyntax.fault(in: closed(512)) == nil)
        #expect(JSONSyntax.fault(in: closed(513)) == "it is nested deeper than 512")
        #expect(JSONSyntax.fault(in: nested(1_000_000)) == "it is nested deeper than 512")
    }
}
