import Foundation
import Testing

@Suite struct ResolveTests {
    @Test func `every path of the list keeps its line`() throws {
        let outcome = try BuiltProgram().run(
            "resolve", input: "/a.jpg\r\nnull\n\n/b-_9.png\n//evil/x.jpg\n/c.jpeg")
        #expect(
            outcome.lines == [
                "https://img.amodb.dev/t/p/w342/a.jpg", "", "",
                "https://img.amodb.dev/t/p/w342/b-_9.png", "",
                "https://img.amodb.dev/t/p/w342/c.jpeg",
            ])
        #expect(outcome.status == 1)
        #expect(
            outcome.messages
                == "onesheet: poster path \"//evil/x.jpg\" refused: "
                + "it must begin with one slash, not two\n")
    }

    @Test func `no poster is no error`() throws {
        let outcome = try BuiltProgram().run("resolve", "null", "", "/null")
        #expect(outcome.text == "\n\n\n")
        #expect(outcome.messages == "")
        #expect(outcome.status == 0)
    }

    @Test func `no input is no output`() throws {
        let outcome = try BuiltProgram().run("resolve")
        #expect(outcome.text == "")
        #expect(outcome.status == 0)
    }

    @Test func `JSON has an object a line, with the reason of a refusal`() throws {
        let outcome = try BuiltProgram().run("resolve", "--json", "/a.jpg", "null", "/a.svg")
        let rows = try outcome.lines.map {
            try #require(
                try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        try #require(rows.count == 3)
        #expect(rows[0]["url"] as? String == "https://img.amodb.dev/t/p/w342/a.jpg")
        #expect(rows[1]["url"] is NSNull)
        #expect(rows[2]["url"] is NSNull)
        #expect((rows[2]["error"] as? String)?.contains("it must end in .jpg") == true)
        #expect(outcome.status == 1)
    }

    @Test func `a refused value cannot write to the terminal`() throws {
        let outcome = try BuiltProgram().run("resolve", "/\u{1B}]0;x\u{7}.jpg")
        #expect(!outcome.messages.contains("\u{1B}"))
        #expect(outcome.messages.contains(#"\u{1b}]0;x\u{7}"#))
    }

    @Test func `a hundred thousand lines come out in order`() throws {
        let input = (0..<100_000).map { "/p\($0).jpg\n" }.joined()
        let outcome = try BuiltProgram().run(["resolve", "--image-base", "http://h"], input: input)
        #expect(outcome.lines.count == 100_000)
        #expect(outcome.lines[77_777] == "http://h/w342/p77777.jpg")
    }
}
