import Foundation
import Testing
import TestSupport

@testable import FixtureOrigin

/// `prune`, `stats` and `verify` on a cache that `prefetch` filled.
@Suite struct UpkeepTests {
    private let upstream: Upstream
    private let program: BuiltProgram
    /// A month and a day.
    private static let longAgo = 31.0 * 86_400

    init() throws {
        upstream = try Upstream()
        program = upstream.program()
        let outcome = try program.run("prefetch", "--thumbs", "60x90")
        #expect(outcome.status == 0)
    }

    private func entries(_ folder: String) -> [String] {
        program.directory.files().filter { $0.hasPrefix("cache/\(folder)/") }
    }

    @Test func `prune deletes what is a month old, and nothing else`() throws {
        let before = program.directory.files()
        let untouched = try program.run("prune", "--json")
        #expect(try untouched.numbers("examined", "deleted", "bytesFreed")[1...] == [0, 0])
        let old = Array(entries("posters").prefix(5))
        for path in old { try program.age(path, seconds: Self.longAgo) }

        let dry = try program.run("prune", "--dry-run")
        #expect(dry.status == 0)
        #expect(Set(dry.lines.map { "cache/\($0)" }) == Set(old))
        #expect(dry.messages.contains("dry run: "))
        #expect(before.allSatisfy(program.directory.files().contains))

        let outcome = try program.run("prune", "--json")
        #expect(outcome.status == 0)
        #expect(try outcome.numbers("deleted", "failed") == [5, 0])
        #expect(try outcome.numbers("bytesFreed")[0] > 0)
        let gone = Set(before).subtracting(program.directory.files())
        #expect(gone == Set(old))
    }

    @Test func `prune brings the cache below a size, and is silent about it`() throws {
        let outcome = try program.run("prune", "--max-size", "100K", "--quiet")
        #expect(outcome.status == 0)
        #expect(outcome.text + outcome.messages == "")
        let left = try program.run("stats", "--json").numbers("bytes")[0]
        #expect(left <= 100 * 1024)
        #expect(left > 0)
        let text = try program.run("prune", "--max-size=1K").text
        #expect(text.contains(" examined, "))
        #expect(text.contains(" freed, "))
    }

    @Test func `stats adds up what lies there`() throws {
        let outcome = try program.run("stats", "--json")
        #expect(outcome.status == 0)
        let rows = try #require(try outcome.json()["rows"] as? [[String: Any]])
        let counts = Dictionary(
            uniqueKeysWithValues: rows.compactMap { row in
                (row["name"] as? String).map { ($0, row["entries"] as? Int) }
            })
        #expect(counts["posters/w342"] == 18)
        #expect(counts["thumbs/60x90-cover-q82.jpeg"] == 18)
        #expect(counts["lists"] == 1)
        #expect(try outcome.numbers("entries", "foreign", "temporary") == [37, 0, 0])
        let bytes = rows.compactMap { $0["bytes"] as? Int }.reduce(0, +)
        #expect(try outcome.numbers("bytes") == [bytes])
        let text = try program.run("stats").text
        #expect(text.contains("posters/w342"))
        #expect(text.contains("total"))
    }

    @Test func `verify finds the altered entry, and deletes it on request`() throws {
        let whole = try program.run("verify", "--json")
        #expect(whole.status == 0)
        #expect(try whole.numbers("examined", "bad", "deleted") == [37, 0, 0])
        #expect(try program.run("verify", "--quiet").text == "")

        let path = entries("posters")[0]
        var bytes = try program.bytes(path)
        bytes[bytes.count / 2] ^= 1
        try program.write(path, bytes)
        let found = try program.run("verify")
        #expect(found.status == 1)
        #expect(found.messages.contains("bad entry \"\(path.dropFirst("cache/".count))\": "))
        #expect(program.directory.files().contains(path))
        let deleted = try program.run("verify", "--delete", "--json")
        #expect(deleted.status == 1)
        #expect(try deleted.numbers("bad", "deleted") == [1, 1])
        #expect(!program.directory.files().contains(path))
        #expect(try program.run("verify").status == 0)
    }

    @Test func `where there are no locks prune refuses, and the rest goes on`() throws {
        var program = program
        let old = entries("posters")[0]
        try program.age(old, seconds: Self.longAgo)
        program.environment.merge(
            try FaultyDisk.environment(
                below: program.cache, at: 1, "ENOLCK+", .locks,
                log: program.directory.path + "/calls")
        ) { $1 }
        let refused = try program.run("prune")
        #expect(refused.status == 78)
        #expect(refused.messages.contains("cannot lock"), "\(refused.messages)")
        #expect(program.directory.files().contains(old))
        #expect(try program.run("prefetch").status == 0)
        #expect(try program.run("verify").status == 0)
        #expect(try program.run("prune", "--dry-run").status == 78)
    }

    @Test("a place that is no cache exits 66", arguments: ["prune", "stats", "verify"])
    func noCache(name: String) throws {
        let outcome = try program.run(name, "--cache-dir", "nowhere")
        #expect(outcome.status == 66)
        #expect(outcome.messages.contains("there is no cache at \"nowhere\""))
        #expect(!program.directory.files().contains { $0.hasPrefix("nowhere") })
    }

    @Test(
        "a directory of other things is refused by every command, and nothing is made in it",
        arguments: [
            ["prune", "--max-size", "1M"], ["stats"], ["verify", "--delete"], ["get", "/Ab.jpg"],
            ["prefetch", "--from", "-"], ["prefetch"], ["serve", "--listen", "127.0.0.1:0"],
        ])
    func otherThings(words: [String]) throws {
        try program.makeFolder("home/posters/w342/Ab")
        try program.write("home/posters/w342/Ab/Ab.jpg", [1])
        let before = program.directory.contents().filter { $0.hasPrefix("home") }
        let outcome = try program.run(words + ["--cache-dir", "home"])
        #expect(outcome.status == 78, "\(outcome.messages)")
        #expect(outcome.messages.contains("holds other things and no CACHEDIR.TAG"))
        #expect(before == program.directory.contents().filter { $0.hasPrefix("home") })
    }

    @Test func `prune names what it leaves alone, unless quiet, and prunes the rest`() throws {
        let posters = entries("posters")
        try program.age(posters[0], seconds: Self.longAgo)
        try program.age(posters[1], seconds: -Self.longAgo)
        let unsealed = "cache/posters/w342/Zz/Zz.jpg"
        try program.makeFolder("cache/posters/w342/Zz")
        try program.write(unsealed, [1, 2, 3])
        try program.age(unsealed, seconds: Self.longAgo)
        let dry = try program.run("prune", "--dry-run", "--json").json()
        #expect((dry["paths"] as? [String])?.count == 1)
        // A cron line says nothing on success; others name what was left alone.
        let quiet = try program.run("prune", "--quiet", "--dry-run")
        #expect(quiet.status == 0 && quiet.messages == "")
        let outcome = try program.run("prune")
        #expect(outcome.status == 0)
        for (path, words) in [(posters[1], "ahead of the clock"), (unsealed, "it has no seal")] {
            let line = outcome.messages.split(separator: "\n").first {
                $0.contains(path.dropFirst("cache/".count))
            }
            #expect(line?.contains(words) == true, "\(outcome.messages)")
        }
        let left = program.directory.files()
        #expect(!left.contains(posters[0]) && left.contains(posters[1]) && left.contains(unsealed))
        let verified = try program.run("verify", "--delete")
        #expect(verified.status == 1 && verified.messages.contains("it has no seal"))
        #expect(program.directory.files().contains(unsealed))
    }

    @Test func `prune brings the cache below a number of entries, and tells what it cannot`() throws
    {
        let outcome = try program.run("prune", "--max-entries", "5", "--json")
        #expect(outcome.status == 0)
        #expect(try outcome.numbers("deleted", "entriesLeft", "failed") == [32, 5, 0])
        let left = ["posters", "thumbs", "lists"].flatMap(entries)
        #expect(left.filter { !$0.hasSuffix("/titles") }.count == 5)
        let unmet = try program.run("prune", "--min-free", "1000000T", "--quiet")
        #expect(unmet.status == 1 && unmet.text == "")
        #expect(unmet.messages.contains("--min-free is not met: "))
        #expect(try program.run("stats", "--json").numbers("entries", "failed") == [5, 0])
    }

    @Test("upkeep takes no operands and no wrong amounts")
    func wrongWords() throws {
        for words in [
            ["prune", "30d"], ["prune", "--max-size", "lots"], ["prune", "--min-free", "5%"],
            ["prune", "--max-entries", "0"], ["prune", "--max-entries", "-1"],
            ["stats", "x"], ["verify", "x"],
        ] {
            #expect(try program.run(words).status == 64)
        }
    }

    @Test func `the cache lies where the first of the variables says`() throws {
        var program = upstream.program()
        program.environment["ONESHEET_CACHE_DIR"] = nil
        func place(_ variables: [String: String]) throws -> String? {
            var program = program
            program.environment.merge(variables) { $1 }
            let outcome = try program.run("get", "-o", "/dev/null", "null")
            #expect(outcome.status == 69)
            let tag = program.directory.files().first { $0.hasSuffix("CACHEDIR.TAG") }
            let found = tag.map { String($0.dropLast("/CACHEDIR.TAG".count)) }
            if let found {
                try FileManager.default.removeItem(atPath: "\(program.directory.path)/\(found)")
            }
            return found
        }
        let home = program.directory.path
        #expect(try place([:]) == ".cache/onesheet")
        #expect(try place(["XDG_CACHE_HOME": "\(home)/x"]) == "x/onesheet")
        #expect(try place(["XDG_CACHE_HOME": "relative"]) == ".cache/onesheet")
        let systemd = ["CACHE_DIRECTORY": "\(home)/one:\(home)/two", "XDG_CACHE_HOME": "\(home)/x"]
        #expect(try place(systemd) == "one")
        #expect(try place(systemd.merging(["ONESHEET_CACHE_DIR": "own"]) { $1 }) == "own")
        #expect(try place(systemd.merging(["ONESHEET_CACHE_DIR": ""]) { $1 }) == "one")
    }
}
