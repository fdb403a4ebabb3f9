import Testing
import TestSupport

@Suite struct PlaceholderTests {
    @Test(
        "a placeholder has the size and format asked for",
        arguments: [
            (["-o", "p.jpg"], "p.jpg", "342x513", false),
            (["--size", "w500", "-o", "p.png"], "p.png", "500x750", true),
            (["--size", "31x17", "--format", "png", "-o", "p"], "p", "31x17", true),
            (
                ["-s", "240x360", "--title", "Сталкер", "--kind", "unavailable", "-o", "p"], "p",
                "240x360", false
            ),
        ])
    func drawn(words: [String], file: String, size: String, isPNG: Bool) throws {
        let program = BuiltProgram()
        let outcome = try program.run(["placeholder"] + words)
        #expect(outcome.status == 0)
        #expect(outcome.text + outcome.messages == "")
        #expect(try program.size(file) == size)
        #expect(try program.bytes(file).starts(with: isPNG ? [0x89] : [0xFF]))
    }

    @Test func `the same request gives the same bytes, another kind others`() throws {
        let program = BuiltProgram()
        let words = ["placeholder", "--title", "Solaris", "-o", "-"]
        let first = try program.run(words).output
        #expect(try program.run(words).output == first)
        #expect(try program.run(words + ["--kind", "unavailable"]).output != first)
    }

    @Test(
        "what cannot be drawn is refused",
        arguments: [
            ([], "-o FILE"), (["-o", "p", "--size", "0x1"], "0×1"),
            (["-o", "p", "--size", "w780"], "w185, w342, w500"),
            (["-o", "p", "--kind", "gone"], "it must be missing or unavailable"),
            (["-o", "p", "--title", String(repeating: "x", count: 201)], "201 characters"),
            (["-o", "p", "extra"], "\"extra\" is no option"),
            (["-o", "-", "--json"], "--json needs -o FILE"),
        ])
    func refused(words: [String], message: String) throws {
        let program = BuiltProgram()
        let outcome = try program.run(["placeholder"] + words)
        #expect(outcome.status == 64)
        #expect(outcome.messages.contains(message), "\(outcome.messages)")
        #expect(!program.directory.files().contains("p"))
    }
}
