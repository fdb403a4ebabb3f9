import Foundation
import Testing
import TestSupport

@testable import onesheet

/// What the shells themselves make of the scripts.
@Suite struct CompletionTests {
    /// A command line, its last word unfinished, and what must be offered.
    struct Line: Sendable, CustomTestStringConvertible {
        let words: [String]
        let offered: [String]

        var testDescription: String { words.joined(separator: " ") }
    }

    static let lines = [
        Line(words: ["pr"], offered: ["prefetch", "prune"]),
        Line(
            words: ["prune", "--m"],
            offered: ["--max-age", "--max-entries", "--max-size", "--min-free"]),
        Line(words: ["get", "--size", ""], offered: ["w185", "w342", "w500"]),
        Line(words: ["thumbnail", "--fit", "c"], offered: ["contain", "cover"]),
        Line(words: ["placeholder", "--kind", "u"], offered: ["unavailable"]),
        Line(words: ["completion", ""], offered: ["bash", "fish", "zsh"]),
        Line(words: ["thumbnail", "/etc/hostn"], offered: ["/etc/hostname"]),
    ]

    @Test("bash offers what fits", arguments: lines)
    func bash(line: Line) throws {
        // bash keeps completion for interactive use: the function is called as readline would.
        let script = """
            source /dev/stdin
            compopt() { :; }
            COMP_WORDS=(onesheet "$@")
            COMP_CWORD=$#
            _onesheet
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let offered = try output(
            of: "/bin/bash", ["-c", script, "bash"] + line.words, input: completion(.bash))
        #expect(offered.sorted() == line.offered)
    }

    @Test("fish offers what fits", arguments: lines)
    func fish(line: Line) throws {
        let script = "source -; complete -C \"onesheet $argv\""
        let offered = try output(
            of: "/usr/bin/fish", ["--no-config", "-c", script] + line.words,
            input: completion(.fish)
        ).map { String($0.prefix { $0 != "\t" }) }
        #expect(offered.sorted() == line.offered)
    }

    @Test func `zsh reads the script, and it has every option`() throws {
        let script = try completion(.zsh)
        #expect(try output(of: "/usr/bin/zsh", ["-n", "/dev/stdin"], input: script) == [])
        for option in Command.all.flatMap(\.allOptions) {
            #expect(script.contains("\(option.spelling)["))
        }
    }

    @Test func `a shell that is not known is named`() throws {
        let outcome = try BuiltProgram().run("completion", "tcsh")
        #expect(outcome.status == 64)
        #expect(outcome.messages.contains("\"tcsh\": it must be bash, zsh or fish"))
        #expect(try BuiltProgram().run("completion").status == 64)
    }

    @Test func `the manual page is one that groff has nothing to say of, and has every option`()
        throws
    {
        let page = try BuiltProgram().run("manual").text
        let text = try output(
            of: "/usr/bin/groff", ["-man", "-ww", "-Tutf8", "-P-cbou"], input: page
        ).joined(separator: "\n")
        #expect(!text.contains("warning:"))
        for command in Command.all { #expect(text.contains("onesheet \(command.name) [")) }
        for option in Command.all.flatMap(\.allOptions) { #expect(text.contains(option.spelling)) }
    }

    private func completion(_ shell: CompletionScript.Shell) throws -> String {
        try BuiltProgram().run("completion", shell.rawValue).text
    }

    /// The lines that a program prints, its complaints among them.
    private func output(of program: String, _ words: [String], input: String) throws -> [String] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = words
        let (standardInput, standardOutput) = (Pipe(), Pipe())
        process.standardInput = standardInput
        process.standardOutput = standardOutput
        process.standardError = standardOutput
        try process.run()
        try standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try standardInput.fileHandleForWriting.close()
        let bytes = try standardOutput.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
