import Foundation
import Testing
import TestSupport

@testable import PosterCache
@testable import PosterKit

@Suite struct ProgressBarTests {
    @Test(
        "a bar is drawn on a terminal, fits it, and is gone at the end", arguments: [40, 80, 132])
    func bar(columns: Int) throws {
        // Slow enough that a bar is due; 18 posters, one after the other.
        let upstream = try Upstream(latency: .milliseconds(20))
        let terminal = try PseudoTerminal(columns: columns)
        let running = try upstream.program().start(
            ["prefetch", "--concurrency", "1"], messagesTo: terminal.line)
        let text = terminal.readToEnd()
        let outcome = try running.wait()
        #expect(outcome.status == 0)
        #expect(outcome.text.hasPrefix("18 fetched"))
        let drawings = text.components(separatedBy: "\r\u{1B}[K")
        #expect(drawings.count >= 3)
        #expect(drawings.first == "")
        #expect(drawings.last == "", "the line is left clean")
        for drawing in drawings.dropFirst().dropLast() where !drawing.isEmpty {
            #expect(drawing.count < columns)
            #expect(drawing.hasPrefix("prefetch  "))
            #expect(drawing.contains("/18"))
            #expect(drawing.contains { "█▏▎▍▌▋▊▉░".contains($0) })
        }
    }

    @Test func `verify draws a bar of all there is to read`() throws {
        let program = BuiltProgram()
        let shard = "cache/posters/w342/Aa"
        for folder in [shard, "cache/tmp"] { try program.makeFolder(folder) }
        try program.write("cache/CACHEDIR.TAG", Array(CacheTag.text.utf8))
        // Holes: large enough to read for a while, and no room on the disk.
        for number in 0..<12 {
            try program.write("\(shard)/Aa\(number).jpg", [])
            #expect(truncate("\(program.directory.path)/\(shard)/Aa\(number).jpg", 60 << 20) == 0)
        }
        let terminal = try PseudoTerminal(columns: 80)
        let running = try program.start(
            ["verify", "--cache-dir", program.cache], messagesTo: terminal.line)
        let drawings = terminal.readToEnd().components(separatedBy: "\r\u{1B}[K")
        #expect(try running.wait().status == 1)
        let bars = drawings.filter { $0.hasPrefix("verify  ") }
        #expect(!bars.isEmpty)
        #expect(bars.allSatisfy { $0.contains("/12") && $0.contains { "█▏▎▍▌▋▊▉░".contains($0) } })
    }

    @Test(
        "a terminal without a bar for it gets plain lines or ASCII", arguments: ["dumb", "ascii"])
    func plain(kind: String) throws {
        let upstream = try Upstream(latency: .milliseconds(20))
        let terminal = try PseudoTerminal(columns: 80)
        var program = upstream.program()
        program.environment[kind == "dumb" ? "TERM" : "LC_ALL"] = kind == "dumb" ? "dumb" : "C"
        let running = try program.start(
            ["prefetch", "--concurrency", "1"], messagesTo: terminal.line)
        let text = terminal.readToEnd()
        #expect(try running.wait().status == 0)
        #expect(text.utf8.allSatisfy { $0 < 0x80 })
        #expect(text.contains("\u{1B}") == (kind == "ascii"))
    }

    @Test("nothing is drawn in silence or for programs", arguments: ["--quiet", "--json"])
    func silent(option: String) throws {
        let upstream = try Upstream(latency: .milliseconds(20))
        let terminal = try PseudoTerminal(columns: 80)
        let running = try upstream.program().start(
            ["prefetch", "--concurrency", "1", option], messagesTo: terminal.line)
        #expect(terminal.readToEnd() == "")
        #expect(try running.wait().status == 0)
    }

    @Test func `help is as wide as the terminal, within reason`() throws {
        for (columns, widest) in [(70, 70), (300, 100), (20, 60)] {
            let terminal = try PseudoTerminal(columns: columns)
            let program = BuiltProgram()
            let process = try program.spawn(
                ["serve", "--help"], files: [terminal.line, terminal.line, terminal.line])
            let lines = terminal.readToEnd().split(separator: "\r\n")
            #expect(waitForExit(process) == 0)
            let prose = lines.filter { !$0.hasPrefix("  ") }
            #expect((prose.map(\.count).max() ?? 0) <= widest)
            #expect((prose.map(\.count).max() ?? 0) > widest - 15)
        }
    }
}
