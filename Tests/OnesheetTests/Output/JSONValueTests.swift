import Foundation
import Testing

@testable import onesheet

@Suite struct JSONValueTests {
    @Test func `members keep their order`() {
        let value = JSONValue.object(["b": .integer(1), "a": .list([.null, .bool(true)])])
        #expect(value.description == #"{"b":1,"a":[null,true]}"#)
    }

    @Test(
        "any text survives the way through JSON",
        arguments: ["", "plain", "\"\\/\u{8}\n\r\t\u{0}\u{1B}[31m", "‮é🎬\u{2028}", "\u{7F}\u{9B}"])
    func roundTrip(text: String) throws {
        let document = JSONValue.list([.text(text)]).description
        #expect(!document.unicodeScalars.contains { $0.value < 0x20 || 0x7F...0x9F ~= $0.value })
        let read = try JSONDecoder().decode([String].self, from: Data(document.utf8))
        #expect(read == [text])
    }

    @Test(
        "decimals are rounded to the places asked for",
        arguments: [
            (0, 1, "0.0"), (1.25, 1, "1.3"), (-0.04, 1, "0.0"), (-1.06, 1, "-1.1"),
            (2.999, 2, "3.00"), (7.05, 3, "7.050"), (12.5, 0, "13"),
        ])
    func decimals(value: Double, places: Int, text: String) {
        #expect(fixedPoint(value, places: places) == text)
    }
}
