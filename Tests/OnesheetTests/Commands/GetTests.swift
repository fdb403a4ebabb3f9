import Foundation
import Testing
import TestSupport

@testable import FixtureOrigin

@Suite struct GetTests {
    @Test func `the poster comes byte for byte, once from upstream and then from the cache`() throws
    {
        let upstream = try Upstream()
        let program = upstream.program()
        let path = try Upstream.trendingPaths()[0]
        let original = try Upstream.bytes("posters/w500\(path)")
        for _ in 0..<2 {
            let outcome = try program.run("get", "--size", "w500", path)
            #expect(outcome.status == 0)
            #expect(outcome.output == original)
            #expect(outcome.messages == "")
        }
        #expect(upstream.origin.totalRequests == 1)
        let file = try program.run("get", "-s", "w500", "-o", "new.jpg", "--json", path)
        #expect(try file.numbers("bytes") == [original.count])
        #expect(try file.json()["state"] as? String == "fresh")
        #expect(try program.bytes("new.jpg") == original)
        #expect(program.directory.files().filter { $0.hasPrefix(".onesheet") } == [])
    }

    @Test(
        "where there is no poster nothing is written",
        arguments: [("null", 69), ("/nosuch.jpg", 69), ("//x.jpg", 64), ("/a/b.jpg", 64)])
    func absent(path: String, status: Int32) throws {
        let upstream = try Upstream()
        let program = upstream.program()
        try program.write("kept.jpg", Array("old".utf8))
        let outcome = try program.run("get", "-o", "kept.jpg", path)
        #expect(outcome.status == status)
        #expect(!outcome.messages.isEmpty)
        #expect(try program.bytes("kept.jpg") == Array("old".utf8))
    }

    @Test(
        "a placeholder is written on request only, and says so",
        arguments: [("null", "no poster"), ("/nosuch.jpg", "404")])
    func placeholder(path: String, reason: String) throws {
        let upstream = try Upstream()
        let program = upstream.program()
        let outcome = try program.run(
            "get", "--placeholder", "--size", "w185", "-o", "p.jpg", "--json", path)
        #expect(outcome.status == 0)
        #expect(outcome.messages.contains("this is a placeholder"))
        #expect(outcome.messages.contains(reason))
        #expect(try outcome.json()["state"] as? String == "placeholder")
        #expect(try program.bytes("p.jpg").starts(with: [0xFF, 0xD8, 0xFF]))
        #expect(!program.directory.files().contains { $0.hasPrefix("cache/posters") })
        let quiet = try program.run("get", "--placeholder", "-q", path)
        #expect(quiet.messages == "")
        #expect(quiet.output.starts(with: [0xFF, 0xD8, 0xFF]))
    }

    @Test func `an expired poster that cannot be renewed is written with a warning`() throws {
        let upstream = try Upstream()
        let program = upstream.program()
        let path = try Upstream.trendingPaths()[1]
        let original = try program.run("get", path).output
        upstream.origin.misbehave(at: "/t/p/*", .status(503, headers: [("Retry-After", "60")]))
        let stale = try program.run("get", "--max-age", "0s", path)
        #expect(stale.status == 0)
        #expect(stale.output == original)
        #expect(stale.messages.contains("upstream fails"))
    }

    @Test(
        "upstream's state decides the exit code",
        arguments: [(500, nil, 69), (429, "90", 75), (403, nil, 69)] as [(Int, String?, Int32)])
    func unavailable(status: Int, retryAfter: String?, exitCode: Int32) throws {
        let upstream = try Upstream()
        upstream.origin.misbehave(
            at: "/t/p/*", .status(status, headers: retryAfter.map { [("Retry-After", $0)] } ?? []))
        let outcome = try upstream.program().run("get", "/abc.jpg")
        #expect(outcome.status == exitCode)
        #expect(outcome.output == [])
        #expect(outcome.messages.contains("\(status)"))
    }

    @Test("what cannot be written exits 73, and leaves nothing", arguments: ["no/where.jpg", "."])
    func noOutput(file: String) throws {
        let upstream = try Upstream()
        let program = upstream.program()
        let outcome = try program.run("get", "-o", file, try Upstream.trendingPaths()[0])
        #expect(outcome.status == 73)
        #expect(outcome.messages.contains("cannot write \"\(file)\""))
        #expect(
            program.directory.files().allSatisfy { $0.hasPrefix("cache/") || $0.hasPrefix(".run") })
    }

    @Test func `a device is written to, not replaced, and a link is followed`() throws {
        let upstream = try Upstream()
        let program = upstream.program()
        let path = try Upstream.trendingPaths()[0]
        #expect(try program.run("get", "-o", "/dev/null", path).status == 0)
        var status = stat()
        #expect(stat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
        try program.write("target.jpg", [1])
        symlink("target.jpg", program.directory.path + "/link.jpg")
        #expect(try program.run("get", "-o", "link.jpg", path).status == 0)
        #expect(try program.bytes("target.jpg") == Upstream.bytes("posters/w342\(path)"))
        #expect(lstat(program.directory.path + "/link.jpg", &status) == 0)
        #expect(status.st_mode & S_IFMT == S_IFLNK)
    }

    @Test func `a command that needs no key does not keep it`() throws {
        let upstream = try Upstream()
        let path = "/t/p/w342\(try Upstream.trendingPaths()[0])"
        upstream.origin.hold(at: path)
        let running = try upstream.program().start(["get", try Upstream.trendingPaths()[0]])
        #expect(upstream.origin.waitUntilHeld(path))
        let variables = try String(
            contentsOfFile: "/proc/\(running.process)/environ", encoding: .utf8)
        #expect(!variables.contains(Upstream.key))
        upstream.origin.release(at: path)
        #expect(try running.wait().status == 0)
        #expect(upstream.origin.log.allSatisfy { $0.header("Authorization") == nil })
    }

    @Test func `an image is kept from a terminal`() throws {
        let terminal = try PseudoTerminal(columns: 80)
        let program = BuiltProgram()
        let process = try program.spawn(
            ["get", "/a.jpg"], files: [terminal.line, terminal.line, terminal.line])
        #expect(terminal.readToEnd().contains("give -o FILE"))
        #expect(waitForExit(process) == 64)
    }
}
