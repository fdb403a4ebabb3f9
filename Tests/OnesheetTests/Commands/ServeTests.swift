import Foundation
import PosterBase
import PosterKit
import Testing
import TestSupport

@testable import FixtureOrigin
@testable import onesheet

@Suite struct ServeTests {
    @Test("a signal lets it finish and exit 0", arguments: [SIGTERM, SIGINT])
    func serves(signal: Int32) throws {
        let upstream = try Upstream()
        let path = try Upstream.trendingPaths()[0]
        let server = try RunningServer(upstream.program())
        #expect(server.line == "onesheet serving http://127.0.0.1:\(server.port)\n")
        let poster = try server.get("/t/p/w342\(path)")
        #expect(poster.status == 200)
        #expect(poster.body == (try Upstream.bytes("posters/w342\(path)")))
        #expect(try server.get("/healthz").status == 200)
        #expect(try server.get("/3/trending/movie/week").status == 200)
        #expect(try server.stop(signal) == 0)
        #expect(server.messages() == "")
    }

    @Test func `what is in flight when it stops is answered`() throws {
        let upstream = try Upstream()
        let path = "/t/p/w342\(try Upstream.trendingPaths()[0])"
        upstream.origin.hold(at: path)
        let server = try RunningServer(upstream.program(), "--deadline", "60")
        let answer = Elsewhere { try server.get(path).status }
        #expect(upstream.origin.waitUntilHeld(path))
        server.running.signal(SIGTERM)
        try server.waitUntilShut()
        upstream.origin.release(at: path)
        #expect(try answer.wait() == 200)
        #expect(try server.stop(0) == 0)
    }

    @Test func `a second signal ends it at once`() throws {
        let upstream = try Upstream()
        let path = "/t/p/w342\(try Upstream.trendingPaths()[0])"
        upstream.origin.hold(at: path)
        defer { upstream.origin.release(at: path) }
        let server = try RunningServer(upstream.program(), "--deadline", "60")
        let answer = Elsewhere { try server.get(path).status }
        #expect(upstream.origin.waitUntilHeld(path))
        server.running.signal(SIGTERM)
        try server.waitUntilShut()
        #expect(try server.stop(SIGTERM) == 128 + SIGTERM)
        #expect(throws: (any Error).self) { try answer.wait() }
    }

    @Test func `a server that was halted goes on where it was`() throws {
        let upstream = try Upstream()
        let paths = try Upstream.trendingPaths().prefix(2).map { "/t/p/w342\($0)" }
        upstream.origin.hold(at: paths[0])
        let server = try RunningServer(upstream.program(), "--deadline", "60")
        let early = Elsewhere { try server.get(paths[0]) }
        #expect(upstream.origin.waitUntilHeld(paths[0]))
        server.running.signal(SIGSTOP)
        try server.waitUntilHalted()
        upstream.origin.release(at: paths[0])
        let late = Elsewhere { try server.get(paths[1]) }
        server.running.signal(SIGCONT)
        for (path, answer) in zip(paths, [early, late]) {
            let (status, body) = try answer.wait()
            #expect(status == 200)
            #expect(body == (try Upstream.bytes("posters\(path.dropFirst(4))")))
        }
        #expect(try server.stop(SIGTERM) == 0)
        #expect(server.messages() == "")
    }

    @Test func `tokens guard the relay, and are read again on a hangup`() throws {
        let upstream = try Upstream()
        let program = upstream.program()
        try program.write("tokens", Array("# ours\n\n  alpha # the app\r\nbeta\n".utf8))
        let server = try RunningServer(program, "--clients", "tokens")
        let list = "/3/trending/movie/week"
        #expect(try server.get(list).status == 401)
        #expect(try server.get(list, token: "alpha").status == 200)
        #expect(try server.get(list, token: "beta").status == 200)
        #expect(try server.get(list, token: "#").status == 401)
        try program.write("tokens", Array("gamma\n".utf8))
        server.running.signal(SIGHUP)
        while try server.get(list, token: "gamma").status != 200 {}
        #expect(try server.get(list, token: "alpha").status == 401)
        // A file that is wrong changes nothing.
        try program.write("tokens", Array("two words\n".utf8))
        server.running.signal(SIGHUP)
        #expect(try server.get(list, token: "gamma").status == 200)
        #expect(try server.stop(SIGTERM) == 0)
        #expect(!server.messages().contains("gamma"))
    }

    @Test func `a new key is read on a hangup, and ends the pause after a refused one`() throws {
        let upstream = try Upstream()
        var program = upstream.program()
        program.environment["AMODB_KEY"] = nil
        program.environment["AMODB_KEY_FILE"] = program.directory.path + "/key"
        try program.write("key", Array("expired\n".utf8))
        let server = try RunningServer(program)
        let list = "/3/trending/movie/week"
        #expect(try server.get(list).status == 502)
        #expect(try server.get(list).status == 502)
        #expect(upstream.origin.requests(to: list) == 1)
        let name = upstream.origin.log.first?.header("User-Agent")
        #expect(name == "onesheet/\(Program.version) (+\(Program.address))")
        // A file that holds no key changes nothing.
        try program.write("key", Array("two words\n".utf8))
        server.running.signal(SIGHUP)
        while !server.messages().contains("key_not_reread") { sched_yield() }
        #expect(try server.get(list).status == 502)
        try program.write("key", Array("fixture-key\n".utf8))
        server.running.signal(SIGHUP)
        while try server.get(list).status != 200 {}
        #expect(try server.stop(SIGTERM) == 0)
        #expect(!server.messages().contains("fixture-key"))
    }

    @Test(
        "a wrong setting is refused before it listens",
        arguments: [
            (["--listen", "8080"], 64, "ADDRESS:PORT"),
            (["--listen", "1.2.3.4:99999"], 64, "listen"),
            (["--deadline", "0"], 64, "--deadline"), (["--memory", "lots"], 64, "--memory"),
            (["--concurrency", "257"], 64, "from 0 to 256"), (["--rate", "-1"], 64, "--rate"),
            (["--cors", "app.example"], 64, "an origin is"),
            (["--cors", "https://a.example/"], 64, "\"https://a.example/\": an origin is"),
            (["--cors", "https://a.example/"], 64, "it has no path, not even a final slash"),
            (["--trusted-proxy", "10.0.0.0/33"], 64, "10.0.0.0/33"),
            (["--trusted-proxy", "10.0.0.1,proxy"], 64, "a network is"),
            (["--max-age", "30"], 64, "--max-age"),
            (["--sizes-allowed", "60x90,"], 64, "--sizes-allowed"),
            (["--qualities-allowed", "75,101"], 64, "from 1 to 100"),
            (["--clients", "nowhere"], 78, "--clients"), (["--clients", "bad"], 78, "line 2"),
            (["--cache-dir", "bad"], 78, "bad"), (["--listen", "192.0.2.1:0"], 78, "192.0.2.1"),
        ] as [([String], Int32, String)])
    func refused(words: [String], status: Int32, message: String) throws {
        let program = BuiltProgram()
        try program.write("bad", Array("good\nopen sesame\n".utf8))
        let outcome = try program.run(["serve", "--listen", "127.0.0.1:0"] + words)
        #expect(outcome.status == status, "\(outcome.messages)")
        #expect(outcome.messages.contains(message), "\(outcome.messages)")
        #expect(!outcome.messages.contains("sesame"))
        #expect(outcome.text == "")
    }

    @Test func `a port that is taken exits 75`() throws {
        let upstream = try Upstream()
        let outcome = try BuiltProgram().run(
            "serve", "--listen", "127.0.0.1:\(upstream.origin.port)")
        #expect(outcome.status == 75)
        #expect(outcome.messages.contains("Address already in use"))
    }

    @Test func `the key can be seen nowhere from outside`() throws {
        let upstream = try Upstream()
        let server = try RunningServer(upstream.program(), "--access-log", "-")
        #expect(try server.get("/3/trending/movie/week").status == 200)
        let process = "/proc/\(server.running.process)"
        for file in ["environ", "cmdline"] {
            let text = try String(contentsOfFile: "\(process)/\(file)", encoding: .utf8)
            #expect(!text.contains(Upstream.key))
        }
        let limits = try String(contentsOfFile: "\(process)/limits", encoding: .utf8)
        let core = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
        #expect(core?.split(separator: " ").suffix(3) == ["1", "1", "bytes"])
        let metrics = String(decoding: try server.get("/metrics").body, as: UTF8.self)
        #expect(!metrics.contains(Upstream.key))
        #expect(try server.stop(SIGTERM) == 0)
        #expect(server.messages().contains("/3/trending/movie/week"))
        #expect(!server.messages().contains(Upstream.key))
        for file in server.program.directory.files() where file.hasPrefix("cache/") {
            let bytes = try server.program.bytes(file)
            #expect(!String(decoding: bytes, as: UTF8.self).contains(Upstream.key))
        }
    }

    @Test func `JSON and silence change the ready line`() throws {
        let upstream = try Upstream()
        let server = try RunningServer(upstream.program(), "--json")
        #expect(server.line == #"{"serving":"http://127.0.0.1:\#(server.port)"}"# + "\n")
        #expect(try server.stop(SIGTERM) == 0)
    }
}
