import Foundation
import PosterBase
import PosterKit
import Testing
import TestSupport

@testable import onesheet

@Suite struct CommandLineTests {
    @Test("a wrong command line exits 64 and says why", arguments: Mistake.all)
    func mistakes(mistake: Mistake) throws {
        let outcome = try BuiltProgram().run(mistake.words)
        #expect(outcome.status == 64)
        #expect(outcome.text == "")
        #expect(outcome.messages.contains(mistake.message), "\(outcome.messages)")
        #expect(outcome.messages.contains("--help"))
    }

    @Test func `a wrong variable exits 78 and is named`() throws {
        let program = BuiltProgram(environment: ["ONESHEET_IMAGE_BASE": "img.amodb.dev"])
        let outcome = try program.run("resolve", "/a.jpg")
        #expect(outcome.status == 78)
        #expect(
            outcome.messages.contains("ONESHEET_IMAGE_BASE \"img.amodb.dev\": it must begin with"))
    }

    @Test func `an option wins over its variable, and an empty variable is none`() throws {
        var program = BuiltProgram(environment: ["ONESHEET_IMAGE_BASE": "http://variable"])
        #expect(
            try program.run("resolve", "--image-base", "http://option/", "/a.jpg").text
                == "http://option/w342/a.jpg\n")
        #expect(try program.run("resolve", "/a.jpg").text == "http://variable/w342/a.jpg\n")
        program.environment["ONESHEET_IMAGE_BASE"] = ""
        #expect(
            try program.run("resolve", "/a.jpg").text == "https://img.amodb.dev/t/p/w342/a.jpg\n")
    }

    @Test(
        "options may be spelled in every GNU way",
        arguments: [
            ["--size", "w500", "/a.jpg"], ["--size=w500", "/a.jpg"], ["/a.jpg", "--size=w500"],
            ["--si", "w500", "/a.jpg"], ["-s", "w500", "/a.jpg"], ["-sw500", "/a.jpg"],
            ["-qsw500", "/a.jpg"], ["--size", "w185", "--size", "w500", "--", "/a.jpg"],
        ])
    func spellings(words: [String]) throws {
        let outcome = try BuiltProgram().run(["resolve"] + words)
        #expect(outcome.text == "https://img.amodb.dev/t/p/w500/a.jpg\n")
        #expect(outcome.status == 0)
    }

    @Test func `the version is one line`() throws {
        let outcome = try BuiltProgram().run("--version")
        #expect(outcome.text == "onesheet \(Program.version)\n")
        #expect(outcome.status == 0)
    }

    @Test("help of every command is reached in three ways", arguments: Command.all.map(\.name))
    func help(name: String) throws {
        let outcome = try BuiltProgram().run(name, "--help")
        #expect(outcome.status == 0)
        #expect(outcome.messages == "")
        #expect(outcome.text.hasPrefix("Usage: onesheet \(name) [OPTION]…"))
        #expect(try BuiltProgram().run(name, "-h").text == outcome.text)
        #expect(try BuiltProgram().run("help", name).text == outcome.text)
        let all = try BuiltProgram().run("--help")
        #expect(all.text.contains("\n  \(name) "))
    }

    @Test(
        "help says every option, variable and default of a command, in 80 columns",
        arguments: Command.all.map(\.name))
    func completeHelp(name: String) throws {
        let command = try Command.named(name)
        let text = HelpText(width: 80).command(command)
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for option in command.allOptions {
            #expect(text.contains("--\(option.name)"))
            for variable in command.variables(of: option) { #expect(text.contains(variable)) }
            if option.standardNote == nil, let standard = option.standard {
                #expect(words.contains("default \(standard)]"))
            }
        }
        for line in text.split(separator: "\n") where !line.hasPrefix("      ") {
            #expect(line.count <= 80, "\(line)")
        }
    }

    @Test("names of options and letters are unique", arguments: Command.all.map(\.name))
    func uniqueNames(name: String) throws {
        let options = try Command.named(name).allOptions
        #expect(Set(options.map(\.name)).count == options.count)
        let letters = options.compactMap(\.short)
        #expect(Set(letters).count == letters.count)
    }

    @Test func `a full disk behind standard output exits 74`() throws {
        let program = BuiltProgram()
        let full = open("/dev/full", O_WRONLY)
        let null = open("/dev/null", O_RDWR)
        defer { for file in [full, null] { close(file) } }
        let process = try program.spawn(["resolve", "/a.jpg"], files: [null, full, null])
        #expect(waitForExit(process) == 74)
    }

    @Test(
        "standard output that the caller closed exits 74, and nothing else gets what was printed",
        arguments: [["resolve", "/a.jpg"], ["--help"], ["--version"]])
    func closedOutput(words: [String]) throws {
        let program = BuiltProgram()
        let null = open("/dev/null", O_RDWR)
        defer { close(null) }
        let closing = ["/bin/sh", "-c", "exec \"$0\" \"$@\" >&-"]
        let process = try program.spawn(
            [BuiltProgram.path] + words, files: [null, null, null], through: closing)
        #expect(waitForExit(process) == 74)
        #expect(program.directory.files().isEmpty)
    }

    struct Mistake: CustomTestStringConvertible, Sendable {
        var words: [String]
        var message: String
        var testDescription: String { words.joined(separator: " ") }

        static let all = [
            Mistake(words: [], message: "onesheet: say what to do: resolve"),
            Mistake(words: ["resolv"], message: #"no command "resolv"; did you mean resolve?"#),
            Mistake(words: ["--size"], message: #""--size" stands before a command"#),
            Mistake(words: ["help", "\u{1B}[31m"], message: #"no command "\u{1b}[31m""#),
            Mistake(
                words: ["resolve", "--sise", "w185"],
                message: "there is no option --sise; did you mean --size?"),
            Mistake(words: ["resolve", "--frobnicate=1"], message: "no option --frobnicate\n"),
            Mistake(words: ["resolve", "-qx"], message: "there is no option -x"),
            Mistake(words: ["resolve", "--size"], message: "--size needs a value: SIZE"),
            Mistake(words: ["resolve", "-s"], message: "--size needs a value: SIZE"),
            Mistake(words: ["resolve", "--json=yes"], message: "--json takes no value"),
            Mistake(
                words: ["resolve", "--size", "w780"],
                message: #"--size "w780": it must be w185, w342 or w500"#),
            Mistake(
                words: ["resolve", "--image-base="],
                message: #"--image-base "": it must begin with http"#),
        ]
    }
}
