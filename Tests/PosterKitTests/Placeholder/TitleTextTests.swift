import Testing

@testable import PosterKit
@testable import PosterPlaceholders

@Suite struct TitleTextTests {
    @Test(
        "is one line of what can be seen",
        arguments: [
            ("Stalker", "Stalker"),
            ("  two\n\t words ", "two words"),
            ("a\u{0}b", "a b"),
            ("a\u{202E}b\u{202C}", "ab"),
            ("\u{2067}\u{200E}", ""),
            ("co\u{AD}op", "coop"),
            ("می\u{200C}خواهم", "می\u{200C}خواهم"),
            ("👩\u{200D}🚀", "👩\u{200D}🚀"),
            ("Nghệ", "Nghệ"),
        ])
    func cleaned(title: String, text: String) {
        #expect(TitleText(title).text == text)
    }

    @Test func `a tower of marks keeps its lowest four`() {
        let tower = "a" + String(repeating: "\u{0301}", count: 50) + "b"
        #expect(TitleText(tower).text.unicodeScalars.count == 6)
    }

    @Test func `a character spelt with many code points is cut`() {
        let chain = String(repeating: "👩\u{200D}", count: 5000)
        let text = TitleText(chain).text
        #expect(text.unicodeScalars.count == TitleText.maxScalars + 1)
        #expect(text.unicodeScalars.last == "…")
    }

    @Test func `lines are broken by a separator instead of the space`() {
        #expect(TitleText("one two three").broken(at: [0, 4]) == "one\u{2028}two three")
        #expect(TitleText("霸王別姬").broken(at: [0, 2]) == "霸王\u{2028}別姬")
        #expect(TitleText("one").broken(at: [0]) == "one")
    }

    @Test(
        "Han letters take the forms of the language",
        arguments: [
            ("七人の侍", "ja"), ("기생충 寄生蟲", "ko"), ("霸王別姬", "zh"), ("Stalker", nil),
        ] as [(String, String?)])
    func language(title: String, language: String?) {
        #expect(TitleText(title).language == language)
    }
}
