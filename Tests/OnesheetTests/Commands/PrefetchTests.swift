import Foundation
import Testing
import TestSupport

@testable import FixtureOrigin

@Suite struct PrefetchTests {
    @Test func `every poster and size is asked for once, and not again while it is fresh`() throws {
        let upstream = try Upstream()
        let program = upstream.program()
        let first = try program.run("prefetch", "--sizes", "w185,w342", "--json")
        #expect(first.status == 0)
        #expect(first.messages == "")
        #expect(
            try first.numbers("fetched", "fresh", "revalidated", "noPoster", "notFound", "failed")
                == [36, 0, 0, 2, 0, 0])
        let paths = try Upstream.trendingPaths()
        #expect(paths.count == 18)
        #expect(first.text.matches(of: /"\/[^"]+": ?"#[0-9a-f]{6}"/).count == 18)
        for path in paths {
            for size in ["w185", "w342"] {
                #expect(upstream.origin.requests(to: "/t/p/\(size)\(path)") == 1)
            }
        }
        let requests = upstream.origin.totalRequests
        let second = try program.run("prefetch", "--sizes", "w185,w342", "--json")
        #expect(try second.numbers("fetched", "fresh", "noPoster") == [0, 36, 2])
        #expect(upstream.origin.totalRequests == requests)
    }

    @Test func `the summary is one line, and silence is kept on success`() throws {
        let upstream = try Upstream()
        let program = upstream.program()
        let outcome = try program.run("prefetch")
        #expect(
            outcome.text.hasPrefix(
                "18 fetched, 0 fresh already, 0 revalidated, 2 no poster, 0 not found, 0 failed; "))
        #expect(outcome.lines.count == 1)
        let quiet = try program.run("prefetch", "--quiet")
        #expect(quiet.text + quiet.messages == "")
        #expect(quiet.status == 0)
    }

    @Test func `thumbnails come from the posters that are fetched anyway`() throws {
        let upstream = try Upstream()
        let program = upstream.program()
        // A w342 poster does for all of them, though a w185 one would do for the first.
        let words = ["prefetch", "--sizes", "w342", "--thumbs", "60x90,300x450", "--json"]
        let first = try program.run(words)
        #expect(try first.numbers("fetched", "thumbnails", "failed") == [18, 36, 0])
        #expect(upstream.origin.requests(to: "/t/p/*") == 18)
        let second = try program.run(words)
        #expect(try second.numbers("fresh", "thumbnails", "thumbnailsFresh") == [18, 0, 36])
        #expect(upstream.origin.requests(to: "/t/p/*") == 18)
    }

    @Test func `a thumbnail that needs a larger poster has it fetched, and counted`() throws {
        let upstream = try Upstream()
        let outcome = try upstream.program().run(
            "prefetch", "--sizes", "w185", "--thumbs", "400x600", "--json")
        #expect(try outcome.numbers("fetched", "thumbnails") == [36, 18])
        #expect(upstream.origin.requests(to: "/t/p/w500/*") == 18)
    }

    @Test func `several lists and pages are one set of posters`() throws {
        let upstream = try Upstream()
        let outcome = try upstream.program().run(
            "prefetch", "--list", "trending/movie/week", "--list", "/trending/movie/week",
            "--pages", "5", "--language", "ru-RU", "--json")
        #expect(outcome.status == 0)
        // The list has two pages: a third is not asked for, nor the same list twice.
        #expect(upstream.origin.requests(to: "/3/trending/movie/week") == 2)
        let counts = upstream.origin.counts.filter { $0.key.hasPrefix("/t/p/") }
        #expect(counts.count > 18)
        #expect(counts.values.allSatisfy { $0 == 1 })
        #expect(upstream.origin.log.allSatisfy { !$0.target.contains("fixture-key") })
    }

    @Test func `what fails is named with its reason, and stops nothing else`() throws {
        let upstream = try Upstream()
        let paths = try Upstream.trendingPaths()
        upstream.origin.misbehave(at: "/t/p/w342\(paths[0])", .status(404))
        upstream.origin.misbehave(at: "/t/p/w342\(paths[1])", .html)
        let program = upstream.program()
        let outcome = try program.run("prefetch", "--json")
        #expect(outcome.status == 1)
        #expect(try outcome.numbers("fetched", "notFound", "failed") == [16, 1, 1])
        let rows = try #require(try outcome.json()["failures"] as? [[String: String]])
        #expect(rows.count == 1)
        #expect(rows[0]["path"] == paths[1])
        #expect(rows[0]["rendition"] == "w342")
        #expect(rows[0]["reason"] == "not_an_image")
        let quiet = try program.run("prefetch", "--quiet")
        #expect(quiet.status == 1)
        #expect(quiet.text == "")
        #expect(quiet.messages.contains("\(paths[1])\" w342: not_an_image"))
        #expect(quiet.messages.contains("16 fresh already"))
    }

    @Test(
        "a key that does not open the list exits 77 and asks for no poster", arguments: [401, 402])
    func keyRefused(status: Int) throws {
        let upstream = try Upstream()
        upstream.origin.misbehave(at: "/3/*", .status(status))
        let outcome = try upstream.program().run(
            "prefetch", "--pages", "2", "--list", "a", "--list", "b")
        #expect(outcome.status == 77)
        #expect(upstream.origin.totalRequests == 1)
        #expect(outcome.messages.contains("(\(status))"))
        #expect(!(outcome.messages + outcome.text).contains(Upstream.key))
    }

    @Test("without a usable key nothing is asked", arguments: [nil, "", " \n", "a b", "ключ"])
    func keyMissing(key: String?) throws {
        let upstream = try Upstream()
        var program = upstream.program()
        program.environment["AMODB_KEY"] = key
        let outcome = try program.run("prefetch")
        #expect(outcome.status == (key?.contains { !$0.isWhitespace } == true ? 78 : 77))
        #expect(upstream.origin.totalRequests == 0)
        #expect(outcome.messages.contains("AMODB_KEY"))
    }

    @Test func `the key may lie in a file, with a line's end`() throws {
        let upstream = try Upstream()
        var program = upstream.program()
        program.environment["AMODB_KEY"] = nil
        program.environment["AMODB_KEY_FILE"] = "key"
        #expect(try program.run("prefetch").status == 78)
        try Data("\(Upstream.key)\n".utf8).write(
            to: URL(fileURLWithPath: program.directory.path + "/key"))
        #expect(try program.run("prefetch").status == 0)
    }

    @Test func `without libcurl a prefetch says so, and what needs none works`() throws {
        let upstream = try Upstream()
        var program = upstream.program()
        try program.makeFolder("broken")
        try program.write("broken/libcurl.so.4", Array("no library".utf8))
        program.environment["LD_LIBRARY_PATH"] = program.directory.path + "/broken"
        let outcome = try program.run("prefetch")
        #expect(outcome.status == 78)
        #expect(outcome.messages.contains("libcurl.so.4 cannot be loaded: "))
        #expect(upstream.origin.totalRequests == 0)
        #expect(try program.run("get", "/abc.jpg").status == 69)
        #expect(try program.run("resolve", "/abc.jpg").status == 0)
    }

    @Test("a list that cannot be had exits 69", arguments: [404, 500])
    func noList(status: Int) throws {
        let upstream = try Upstream()
        upstream.origin.misbehave(at: "/3/*", .status(status))
        let outcome = try upstream.program().run("prefetch")
        #expect(outcome.status == 69)
        #expect(outcome.messages.contains("\(status)"))
        #expect(upstream.origin.requests(to: "/t/p/*") == 0)
    }

    @Test func `a list that fails does not lose the others`() throws {
        let upstream = try Upstream()
        upstream.origin.misbehave(at: "/3/nowhere", .status(404))
        let outcome = try upstream.program().run(
            "prefetch", "--list", "nowhere", "--list", "trending/movie/week", "--json")
        #expect(outcome.status == 69)
        #expect(try outcome.numbers("fetched") == [18])
        #expect(try outcome.json()["endedEarly"] as? String == "the API answered 404")
    }

    @Test func `the page after a prefetch asks upstream for nothing`() throws {
        let upstream = try Upstream()
        let program = upstream.program()
        #expect(try program.run("prefetch", "--quiet").status == 0)
        let requests = upstream.origin.requests(to: "/3/*")
        let server = try RunningServer(program)
        #expect(try server.get("/").status == 200)
        #expect(try server.get("/3/trending/movie/week?language=en-US").status == 200)
        #expect(upstream.origin.requests(to: "/3/*") == requests)
        #expect(try server.stop(SIGTERM) == 0)
    }

    @Test func `a prefetch keeps the pause that a server was asked for, and a server a prefetch's`()
        throws
    {
        let upstream = try Upstream()
        let path = try Upstream.trendingPaths()[0]
        let limited = Fault.status(429, headers: [("Retry-After", "600")])
        for isServerFirst in [true, false] {
            var program = upstream.program()
            // As in the world, the API is another host than that of the pictures.
            program.environment["ONESHEET_API_BASE"] = "http://localhost:\(upstream.origin.port)/3"
            let server = try RunningServer(program)
            upstream.origin.misbehave(at: "/t/p/*", limited)
            if isServerFirst {
                #expect(try server.get("/t/p/w342\(path)?fallback=error").status == 502)
            } else {
                #expect(try program.run("prefetch", "--concurrency", "1").status == 75)
            }
            upstream.origin.behave(at: "/t/p/*")
            let requests = upstream.origin.requests(to: "/t/p/*")
            let prefetch = try program.run("prefetch")
            #expect(prefetch.status == 75)
            #expect(prefetch.messages.contains("asks for a pause of "), "\(prefetch.messages)")
            #expect(
                try server.get("/t/p/w500\(path)?fallback=error").status == 502,
                "\(isServerFirst)")
            let ready = try server.get("/readyz")
            #expect(ready.status == 503)
            #expect(String(decoding: ready.body, as: UTF8.self).contains("upstream_backing_off"))
            #expect(upstream.origin.requests(to: "/t/p/*") == requests)
            #expect(try server.stop(SIGTERM) == 0)
        }
    }

    @Test func `the key of a prefetch can be seen nowhere from outside`() throws {
        let upstream = try Upstream()
        let program = upstream.program()
        upstream.origin.hold(at: "/3/*")
        upstream.origin.misbehave(at: "/t/p/w342\(try Upstream.trendingPaths()[0])", .status(500))
        let running = try program.start(["prefetch", "--json"])
        #expect(upstream.origin.waitUntilHeld("/3/trending/movie/week"))
        for file in ["environ", "cmdline"] {
            let text = try String(
                contentsOfFile: "/proc/\(running.process)/\(file)", encoding: .utf8)
            #expect(!text.contains(Upstream.key))
        }
        upstream.origin.release(at: "/3/*")
        let outcome = try running.wait()
        #expect(outcome.status == 1)
        #expect(!(outcome.text + outcome.messages).contains(Upstream.key))
        for request in upstream.origin.log {
            #expect(!request.target.contains(Upstream.key))
            // To the image host goes no key.
            let isList = request.target.hasPrefix("/3/")
            #expect((request.header("Authorization") != nil) == isList)
        }
        for file in program.directory.files() {
            let bytes = try program.bytes(file)
            #expect(!String(decoding: bytes, as: UTF8.self).contains(Upstream.key), "\(file)")
        }
    }

    @Test func `a short pause of the image host is waited out`() throws {
        let upstream = try Upstream()
        let path = try Upstream.trendingPaths()[3]
        upstream.origin.misbehave(
            at: "/t/p/w342\(path)", .status(429, headers: [("Retry-After", "1")]), times: 1)
        let outcome = try upstream.program().run("prefetch", "--json", "--concurrency", "1")
        #expect(outcome.status == 0)
        #expect(try outcome.numbers("fetched", "failed") == [18, 0])
        #expect(outcome.messages.contains("needs a pause of 1 s; waiting"))
        #expect(upstream.origin.requests(to: "/t/p/w342\(path)") == 2)
    }

    @Test("a long pause ends it with 75", arguments: [429, 503])
    func longPause(status: Int) throws {
        let upstream = try Upstream()
        upstream.origin.misbehave(
            at: "/t/p/*", .status(status, headers: [("Retry-After", "31")]))
        let outcome = try upstream.program().run("prefetch", "--concurrency", "1")
        #expect(outcome.status == 75)
        #expect(outcome.messages.contains("asks for a pause of 3"))
        #expect(upstream.origin.requests(to: "/t/p/*") == 1)
    }

    @Test func `a host that is not there ends it after a few tries`() throws {
        let upstream = try Upstream()
        var program = upstream.program()
        // The discard port: nobody listens there.
        program.environment["ONESHEET_IMAGE_BASE"] = "http://127.0.0.1:9/t/p"
        let outcome = try program.run(
            "prefetch", "--pages", "2", "--sizes", "w185,w342,w500", "--concurrency", "64")
        #expect(outcome.status == 69)
        #expect(outcome.messages.contains("the image host is unavailable: not asked for 1"))
        #expect(outcome.messages.contains("connect"))
    }

    @Test func `a signal ends it when what is under way is done, and the next run goes on`() throws
    {
        let upstream = try Upstream()
        let program = upstream.program()
        let held = "/t/p/w342\(try Upstream.trendingPaths()[5])"
        upstream.origin.hold(at: held)
        let messages = Pipe()
        let running = try program.start(
            ["prefetch", "--concurrency", "1", "--json"],
            messagesTo: messages.fileHandleForWriting.fileDescriptor)
        try messages.fileHandleForWriting.close()
        #expect(upstream.origin.waitUntilHeld(held))
        running.signal(SIGINT)
        #expect(read(from: messages, until: "stopping").contains("stopping"))
        upstream.origin.release(at: held)
        let outcome = try running.wait()
        #expect(outcome.status == 130)
        let fetched = try outcome.numbers("fetched")[0]
        #expect((6...17).contains(fetched))
        let next = try program.run("prefetch", "--json")
        #expect(try next.numbers("fresh", "fetched") == [fetched, 18 - fetched])
    }

    @Test func `a signal while a list is waited for ends it at once`() throws {
        let upstream = try Upstream()
        upstream.origin.hold(at: "/3/*")
        let running = try upstream.program().start(["prefetch"])
        #expect(upstream.origin.waitUntilHeld("/3/trending/movie/week"))
        running.signal(SIGINT)
        let outcome = try running.wait()
        upstream.origin.release(at: "/3/*")
        #expect(outcome.status == 130)
        #expect(upstream.origin.requests(to: "/t/p/*") == 0)
    }

    @Test func `a signal while a pause is waited out ends it, and keeps what is done`() throws {
        let upstream = try Upstream()
        let program = upstream.program()
        let paths = try Upstream.trendingPaths()
        let limited = Fault.status(429, headers: [("Retry-After", "29")])
        upstream.origin.misbehave(at: "/t/p/w342\(paths[9])", limited)
        let messages = Pipe()
        let running = try program.start(
            ["prefetch", "--concurrency", "1", "--json"],
            messagesTo: messages.fileHandleForWriting.fileDescriptor)
        try messages.fileHandleForWriting.close()
        #expect(read(from: messages, until: "waiting").contains("needs a pause of 29 s"))
        running.signal(SIGINT)
        let outcome = try running.wait()
        #expect(outcome.status == 130)
        #expect(try outcome.numbers("fetched") == [9])
        #expect(program.directory.files().filter { $0.hasPrefix("cache/posters/") }.count == 9)
    }

    @Test func `a second signal ends it at once`() throws {
        let upstream = try Upstream()
        upstream.origin.hold(at: "/t/p/*")
        let messages = Pipe()
        let running = try upstream.program().start(
            ["prefetch"], messagesTo: messages.fileHandleForWriting.fileDescriptor)
        try messages.fileHandleForWriting.close()
        #expect(upstream.origin.waitUntilHeld("/t/p/*"))
        running.signal(SIGTERM)
        #expect(read(from: messages, until: "stopping").contains("stopping"))
        running.signal(SIGTERM)
        #expect(try running.wait().status == 143)
        upstream.origin.release(at: "/t/p/*")
    }

    @Test("a file may be a saved list or lines of paths", arguments: ["list", "lines", "array"])
    func fromFile(kind: String) throws {
        let upstream = try Upstream()
        var program = upstream.program()
        program.environment["AMODB_KEY"] = nil
        let paths = try Upstream.trendingPaths()
        let text =
            switch kind {
            case "list":
                String(decoding: try Upstream.bytes("api/trending/movie/week.json"), as: UTF8.self)
            case "array":
                "\u{FEFF} ["
                    + paths.enumerated().map { #"{"id":\#($0),"poster_path":"\#($1)"}"# }
                    .joined(separator: ",") + #",{"id":-1},{"id":-2,"poster_path":null}]"#
            default:
                "  \(paths[0])\r\n" + (paths + ["null", ""]).joined(separator: "\n") + "\n"
            }
        let outcome = try program.run(["prefetch", "--from", "-", "--json"], input: text)
        #expect(outcome.status == 0)
        #expect(try outcome.numbers("fetched", "noPoster", "failed") == [18, 2, 0])
    }

    @Test func `a refused path and a member that is no film are rows of the report`() throws {
        let upstream = try Upstream()
        let path = try Upstream.trendingPaths()[0]
        let text = """
            [{"id":1,"poster_path":"\(path)"},{"id":2,"poster_path":"https://evil/x.jpg"},
             {"id":3,"poster_path":7},{"title":"no id"}]
            """
        let outcome = try upstream.program().run(
            ["prefetch", "--from", "-", "--json"], input: text)
        #expect(outcome.status == 1)
        #expect(try outcome.numbers("fetched", "failed") == [1, 3])
        #expect(outcome.messages.contains(#""https://evil/x.jpg": refused: a whole URL"#))
        #expect(upstream.origin.totalRequests == 1)
    }

    @Test("a file that is no list exits 65, one that is not there 66")
    func badFile() throws {
        let program = BuiltProgram()
        let broken = try program.run(["prefetch", "--from", "-"], input: #"{"results":"#)
        #expect(broken.status == 65)
        #expect(broken.messages.contains("not a film list"))
        #expect(try program.run("prefetch", "--from", "nowhere").status == 66)
        #expect(try program.run("prefetch", "--from", "/").status == 66)
    }
}

/// Reads until `text` has come, or the other side has ended.
func read(from pipe: Pipe, until text: String) -> String {
    var all = ""
    while !all.contains(text) {
        let piece = pipe.fileHandleForReading.availableData
        if piece.isEmpty { break }
        all += String(decoding: piece, as: UTF8.self)
    }
    return all
}
