import Foundation
import PosterImages
import PosterKit
import Testing
import TestSupport

@testable import onesheet

@Suite struct ThumbnailTests {
    @Test func `a folder of files becomes a folder of thumbnails`() throws {
        let program = BuiltProgram()
        try program.makeFolder("out")
        let paths = try Upstream.trendingPaths()
        let inputs = paths.map { "\(Upstream.fixtures)/posters/w342\($0)" }
        let outcome = try program.run(
            ["thumbnail", "--size", "60x90", "-o", "out/%s.jpg"] + inputs)
        #expect(outcome.status == 0)
        #expect(outcome.text == "")
        #expect(outcome.messages.hasPrefix("onesheet: 18 made, 0 failed; "))
        for path in paths {
            #expect(try program.size("out\(path)") == "60x90")
        }
        #expect(program.directory.files().filter { !$0.hasPrefix(".run") }.count == 18)
    }

    @Test(
        "the format is the one asked for, else as the output ends",
        arguments: [
            ("a.png", [], "png"), ("a.PNG", [], "png"), ("a.jpg", [], "jpeg"), ("a", [], "jpeg"),
            ("a.jpg", ["--format", "png"], "png"), ("a.png", ["-f", "jpeg"], "jpeg"),
            ("a.webp", [], "webp"), ("a.jpg", ["--format", "webp"], "webp"),
        ] as [(String, [String], String)])
    func format(output: String, options: [String], format: String) throws {
        let program = BuiltProgram()
        let outcome = try program.run(
            ["thumbnail", "--size=40x", "-o", output, "\(Upstream.fixtures)/odd/photo.png"]
                + options)
        #expect(outcome.status == 0)
        #expect(outcome.messages == "")
        #expect(ImageFormat(firstBytes: try program.bytes(output))?.rawValue == format)
    }

    @Test func `one bad file does not stop the others`() throws {
        let program = BuiltProgram()
        let odd = "\(Upstream.fixtures)/odd"
        let words = [
            "thumbnail", "--size", "10x10", "-o", "%s.jpg", "\(odd)/photo.jpg",
            "\(odd)/cut-scan.jpg", "nowhere.jpg", "\(odd)/grey.jpg",
        ]
        let outcome = try program.run(words + ["--json"])
        #expect(outcome.status == 1)
        #expect(try outcome.numbers("made", "failed") == [2, 2])
        let rows = try #require(try outcome.json()["failures"] as? [[String: String]])
        #expect(rows.map { $0["input"] } == ["\(odd)/cut-scan.jpg", "nowhere.jpg"])
        #expect(outcome.messages.contains("cut-scan.jpg\": truncated jpeg"))
        #expect(outcome.messages.contains("cannot open \"nowhere.jpg\": No such file or directory"))
        let quiet = try program.run(words + ["--quiet"])
        #expect(quiet.status == 1)
        #expect(quiet.messages.split(separator: "\n").count == 2)
    }

    @Test(
        "a single bad file has its own exit code",
        arguments: [
            ("odd/html.jpg", 65), ("odd/cut-scan.jpg", 65), ("odd/claims-49157x27397.jpg", 65),
            ("odd/empty.jpg", 65), ("nowhere.jpg", 66), ("odd", 66), ("README.md", 65),
        ])
    func singleBad(input: String, status: Int32) throws {
        let program = BuiltProgram()
        for options in [[], ["--json"]] {
            let outcome = try program.run(
                ["thumbnail", "-s", "9x9", "-o", "o.jpg", "\(Upstream.fixtures)/\(input)"] + options
            )
            #expect(outcome.status == status)
            #expect(outcome.messages.contains(input))
        }
        #expect(!program.directory.files().contains("o.jpg"))
    }

    @Test func `standard input and output will do`() throws {
        let program = BuiltProgram()
        let picture = try Upstream.bytes("odd/photo.jpg")
        try program.write("in.jpg", picture)
        let files = [
            open(program.directory.path + "/in.jpg", O_RDONLY),
            open(program.directory.path + "/out.jpg", O_WRONLY | O_CREAT, 0o600),
            open("/dev/null", O_WRONLY),
        ]
        defer { for file in files { close(file) } }
        let process = try program.spawn(["thumbnail", "-s", "x30", "-o", "-", "-"], files: files)
        #expect(waitForExit(process) == 0)
        #expect(try program.size("out.jpg").hasSuffix("x30"))
    }

    @Test(
        "what would lose a file is refused before anything is made",
        arguments: [
            (["-o", "o.jpg", "a.jpg", "b.jpg"], "it needs a %s in it"),
            (["-o", "%s.jpg", "a.jpg"], "is one of the inputs"),
            (["-o", "./b.jpg", "b.jpg"], "is one of the inputs"),
            (["-o", "linked.jpg", "b.jpg"], "is one of the inputs"),
            (["-o", "x/%s.jpg", "a.jpg", "x/a.png"], "would both be written to \"x/a.jpg\""),
            (["-o", "%d.jpg", "a.jpg"], "after % there must be s"),
            (["-o", "o.jpg"], "name at least one input"), (["a.jpg"], "-o OUT"),
        ])
    func losses(words: [String], message: String) throws {
        let program = BuiltProgram()
        try program.write("a.jpg", [1])
        try program.write("b.jpg", [2])
        link(program.directory.path + "/b.jpg", program.directory.path + "/linked.jpg")
        let outcome = try program.run(["thumbnail", "--size", "9x9"] + words)
        #expect(outcome.status == 64)
        #expect(outcome.messages.contains(message), "\(outcome.messages)")
        #expect(try program.bytes("a.jpg") == [1])
        #expect(try program.bytes("b.jpg") == [2])
    }

    @Test(
        "sizes and qualities outside their range are refused",
        arguments: [
            (["--size", "0x9"], "width 0 is not in 1…2000"), (["--size", "2001x9"], "2001"),
            (["--size", "9x3001"], "height 3001"), (["--size", "9"], "WIDTHxHEIGHT"),
            (["--size", "9x9", "--quality", "0"], "--quality \"0\": it must be from 1 to 100"),
            (["--size", "9x9", "--quality", "101"], "from 1 to 100"),
            (["--size", "9x9", "--fit", "fill"], "it must be cover or contain"),
            (["--size", "9x9", "--format", "gif"], "--format \"gif\": it must be"),
            ([], "--size WxH"),
        ])
    func ranges(words: [String], message: String) throws {
        let outcome = try BuiltProgram().run(["thumbnail", "-o", "o.jpg", "a.jpg"] + words)
        #expect(outcome.status == 64)
        #expect(outcome.messages.contains(message), "\(outcome.messages)")
    }

    @Test func `an output that cannot be made exits 73`() throws {
        let outcome = try BuiltProgram().run(
            "thumbnail", "-s", "9x9", "-o", "no/such/%s.jpg", "\(Upstream.fixtures)/odd/photo.jpg")
        #expect(outcome.status == 73)
        #expect(outcome.messages.contains("no/such/photo.jpg"))
    }

    @Test(
        "a pattern takes the input's name",
        arguments: [
            ("t/%s.jpg", "p/abc.jpg", "t/abc.jpg"), ("%s-%s", "a.b.png", "a.b-a.b"),
            ("100%%/%s", "x", "100%/x"), ("plain", "x.jpg", "plain"), ("%s", ".jpg", ".jpg"),
            ("%s.png", "-", "stdin.png"), ("%s", "dir/", "dir"),
        ])
    func pattern(pattern: String, input: String, output: String) throws {
        #expect(try ThumbnailJob.plan([input], pattern).map(\.output) == [output])
    }

    @Test func `a terminal is shown how many are made`() throws {
        let program = BuiltProgram()
        let names = try Self.links(90, in: program)
        let terminal = try PseudoTerminal(columns: 80)
        let running = try program.start(
            ["thumbnail", "-s", "400x600", "-o", "t-%s.jpg"] + names, messagesTo: terminal.line)
        let drawings = terminal.readToEnd().components(separatedBy: "\r\u{1B}[K")
        #expect(try running.wait().status == 0)
        let bars = drawings.filter { $0.hasPrefix("thumbnail  ") }
        #expect(!bars.isEmpty)
        #expect(bars.allSatisfy { $0.contains("/90") })
    }

    @Test func `a signal lets it finish what it has begun, and exit 130`() throws {
        let program = BuiltProgram()
        let names = try Self.links(4000, in: program)
        let running = try program.start(
            ["thumbnail", "-s", "40x60", "-o", "t-%s.jpg", "--json"] + names)
        func made() -> [String] { program.directory.files().filter { $0.hasPrefix("t-") } }
        while made().isEmpty { sched_yield() }
        running.signal(SIGINT)
        let outcome = try running.wait()
        #expect(outcome.status == 130)
        let count = try #require(try outcome.numbers("made").first)
        #expect(count < names.count)
        #expect(made().count == count)
        for thumbnail in made() { #expect(try program.size(thumbnail) == "40x60") }
    }

    @Test(
        "what is no regular file is refused among the inputs, and stops no other",
        arguments: ["fifo", "/dev/zero", "/dev/full", "socket", "link-to-fifo"])
    func specialInput(input: String) throws {
        let program = BuiltProgram()
        try program.write("poster.jpg", try Upstream.bytes("odd/photo.jpg"))
        func place(_ name: String) -> String { "\(program.directory.path)/\(name)" }
        try #require(mkfifo(place("fifo"), 0o600) == 0)
        try #require(mknod(place("socket"), S_IFSOCK | 0o600, 0) == 0)
        try #require(symlink("fifo", place("link-to-fifo")) == 0)
        let alone = try program.run("thumbnail", "-s", "9x9", "-o", "t.jpg", input)
        #expect(alone.status == 66)
        #expect(alone.messages.contains("only regular files are read"), "\(alone.messages)")
        let among = try program.run("thumbnail", "-s", "9x9", "-o", "t-%s.jpg", input, "poster.jpg")
        #expect(among.status == 1)
        #expect(among.messages.contains("\"\(input)\" is a"))
        #expect(try program.size("t-poster.jpg") == "9x9")
    }

    @Test(
        "a name that ends in another format's is refused",
        arguments: [
            ("x.gif", []), ("x.GIF", []), ("out/x.tiff", []), ("x.gif", ["--format", "png"]),
            ("%s.bmp", []), ("%s", []), ("a.b/%s", []),
        ] as [(String, [String])])
    func foreignName(output: String, options: [String]) throws {
        let program = BuiltProgram()
        // Its own name without its ending is that of a GIF.
        try program.write("poster.gif.jpg", try Upstream.bytes("odd/photo.jpg"))
        let words = ["thumbnail", "-s", "9x9", "-o", output, "poster.gif.jpg"]
        let outcome = try program.run(words + options)
        #expect(outcome.status == 64)
        #expect(outcome.messages.contains("names a format that is not written"))
        #expect(program.directory.files().filter { !$0.hasPrefix(".run") }.count == 1)
        let drawn = try program.run(["placeholder", "-o", "x.heic"] + options)
        #expect(drawn.status == 64)
        #expect(drawn.messages.contains("\"x.heic\": the ending .heic"))
    }

    @Test func `a name made of an input's is of the format that is written, or says it`() throws {
        let program = BuiltProgram()
        try program.write("poster.png.jpg", try Upstream.bytes("odd/photo.jpg"))
        let words = ["thumbnail", "-s", "9x9", "-o", "%s", "poster.png.jpg"]
        #expect(try program.run(words).status == 64)
        #expect(try program.run(words + ["--format", "png"]).status == 0)
        #expect(ImageFormat(firstBytes: try program.bytes("poster.png")) == .png)
        for name in ["thumb.tmp", "thumb", ".gif", "gif", "a.gif/b", "x.jpe", "x.JPG"] {
            try program.makeFolder("a.gif")
            let outcome = try program.run(
                "thumbnail", "-s", "9x9", "-o", name, "poster.png.jpg")
            #expect(outcome.status == 0, "\(name): \(outcome.messages)")
        }
    }

    /// A poster under many names.
    private static func links(_ count: Int, in program: BuiltProgram) throws -> [String] {
        let path = try #require(try Upstream.trendingPaths().first)
        try program.write("poster", try Upstream.bytes("posters/w500\(path)"))
        return try (0..<count).map { number in
            let name = "poster\(number).jpg"
            try #require(
                link("\(program.directory.path)/poster", "\(program.directory.path)/\(name)") == 0)
            return name
        }
    }
}
