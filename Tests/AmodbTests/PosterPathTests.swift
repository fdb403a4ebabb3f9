import Amodb
import Testing

@Suite struct PosterPathTests {
    @Test(
        "a path of the grammar reads back as itself",
        arguments: [
            "/a.jpg", "/AbCdEf.jpg", "/x-Y_9.jpeg", "/-.png",
            "/\(String(repeating: "n", count: 128)).jpg",
        ])
    func readsBack(text: String) throws {
        #expect(try PosterPath(text).description == text)
    }

    @Test("no poster is a state of its own", arguments: [nil, "", "null", "/null"])
    func noPoster(value: String?) throws {
        #expect(try PosterPath.parse(value) == nil)
    }

    @Test(
        "what breaks the grammar is refused under its rule",
        arguments: [
            ("https://img.amodb.dev/t/p/w342/a.jpg", .wholeURL), ("a.jpg", .leadingSlash),
            (" /a.jpg", .leadingSlash), ("//host/a.jpg", .doubleSlash), ("//a.jpg", .doubleSlash),
            ("/a/b.jpg", .oneSegment), ("/../a.jpg", .oneSegment), ("/./a.jpg", .oneSegment),
            ("/%2e%2e.jpg", .percentSign), ("/a%00.jpg", .percentSign), ("/a.svg", .ending),
            ("/a.JPG", .ending), ("/a.jpg.webp", .ending), ("/a", .ending), ("/.", .ending),
            ("/..", .ending), ("/.jpg", .nameLength),
            ("/\(String(repeating: "n", count: 129)).jpg", .nameLength),
            ("/a b.jpg", .nameCharacters), ("/a.b.jpg", .nameCharacters),
            ("/..jpg", .nameCharacters), ("/a\u{0}.jpg", .nameCharacters),
            ("/a\n.jpg", .nameCharacters), ("/\u{202E}a.jpg", .nameCharacters),
            ("/ä.jpg", .nameCharacters), ("/a\\b.jpg", .nameCharacters),
            ("/a?b.jpg", .nameCharacters), ("/a.jpg ", .ending), ("/", .ending),
        ] as [(String, PosterPathError.Rule)])
    func refused(text: String, rule: PosterPathError.Rule) {
        #expect(throws: PosterPathError(value: text, rule: rule)) { try PosterPath(text) }
    }

    @Test func `a refusal quotes the value with nothing in it that a terminal would obey`() {
        let error = PosterPathError(value: "/\u{1B}[2J\"\u{202E}\r\n.jpg", rule: .nameCharacters)
        #expect(
            error.description
                == #"poster path "/\u{1b}[2J\"\u{202e}\u{d}\u{a}.jpg" refused: its name may hold only A-Z a-z 0-9 - _"#
        )
    }
}
