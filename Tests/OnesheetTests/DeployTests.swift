import Foundation
import Testing
import TestSupport

@testable import FixtureOrigin

/// What lies in `deploy/`, with the programs that it is for.
@Suite struct DeployTests {
    private static let folder =
        URL(filePath: Upstream.fixtures).deletingLastPathComponent().path + "/deploy"

    @Test(.enabled(if: Nginx.isInstalled))
    func `nginx serves what is cached by itself, and asks for the rest`() throws {
        let upstream = try Upstream()
        let server = try RunningServer(upstream.program())
        let site = try String(
            contentsOfFile: Self.folder + "/onesheet.nginx.conf", encoding: .utf8
        )
        .replacingOccurrences(of: "/var/cache/onesheet", with: server.program.cache)
        .replacingOccurrences(of: "127.0.0.1:8600", with: "127.0.0.1:\(server.port)")
        let nginx = try Nginx(site: site)
        func get(_ path: String) throws -> (status: Int, body: [UInt8]) {
            try RunningServer.get(path, port: nginx.port)
        }
        let paths = try Upstream.trendingPaths()
        let (cached, cold) = ("/t/p/w342\(paths[0])", "/t/p/w342\(paths[1])")
        let poster = try Upstream.bytes("posters/w342\(paths[0])")
        // Asked for the first time, it comes through Onesheet.
        #expect(try get(cached).body == poster)
        for path in [
            "/thumb/60x90\(paths[0])", "\(cached)?w=60", "/t/p/w342/null", "/healthz",
            "/3/trending/movie/week", "/",
        ] {
            #expect(try get(path).status == 200, "\(path)")
        }
        #expect(try server.stop(SIGTERM) == 0)
        // The file is the poster, and the seal behind its end.
        let file = try get(cached)
        #expect(file.status == 200)
        #expect(file.body.starts(with: poster))
        #expect(file.body.count < poster.count + 1024)
        try checkHeaders(
            "http://127.0.0.1:\(nginx.port)\(cached)", file.body,
            "\(server.program.cache)/posters/w342/\(paths[0].dropFirst().prefix(2))\(paths[0])")
        for path in [
            cold, "\(cached)?w=60", "/healthz", "/t/p/w342/../../CACHEDIR.TAG",
            "/posters/w342\(paths[0])", "/CACHEDIR.TAG", "/t/p/w342/lists\(paths[0])",
        ] {
            #expect(try get(path).status >= 400, "\(path)")
        }
    }

    /// What a client may keep, and for how long: as long as the entry has left.
    private func checkHeaders(_ address: String, _ body: [UInt8], _ file: String) throws {
        let curl = Curl(trusted: "/dev/null")
        func seconds(_ answer: Curl.Answer) -> Int? {
            answer.header("Cache-Control").flatMap { line in
                line.hasPrefix("max-age=") ? Int(line.dropFirst(8)) : nil
            }
        }
        let fresh = try curl.get(address)
        #expect(fresh.header("Content-Type")?.hasPrefix("image/") == true)
        #expect(fresh.header("X-Content-Type-Options") == "nosniff")
        #expect(seconds(fresh).map { (29 * 86_400...30 * 86_400).contains($0) } == true)
        let head = try curl.get(address, "-I")
        #expect(head.status == 200 && head.body.isEmpty)
        #expect(head.header("Content-Length") == String(body.count))
        let tag = try #require(fresh.header("ETag"))
        #expect(head.header("ETag") == tag)
        let part = try curl.get(address, "-r", "10-19")
        #expect(part.status == 206 && part.body == Array(body[10..<20]))
        #expect(try curl.get(address, "-r", "\(body.count)-").status == 416)
        #expect(try curl.get(address, "-H", "If-None-Match: \(tag)").status == 304)
        // A day before its end, and a day after it.
        for (days, isExpired) in [(29, false), (31, true)] {
            let then = timespec(tv_sec: time(nil) - days * 86_400, tv_nsec: 0)
            #expect(utimensat(AT_FDCWD, file, [then, then], 0) == 0)
            let answer = try curl.get(address)
            #expect((answer.header("Cache-Control") == "no-cache") == isExpired)
            #expect((seconds(answer) ?? 0 <= 86_400) && (seconds(answer) == nil) == isExpired)
        }
    }

    /// cron(8) gives a job next to nothing: no terminal, a short PATH, and a home that need not be.
    @Test(arguments: [["HOME=/nonexistent"], []])
    func `the crontab's lines run as cron runs them, and say nothing`(home: [String]) throws {
        let upstream = try Upstream()
        let program = upstream.program()
        try program.write("key", Array("\(Upstream.key)\n".utf8))
        let table = try String(contentsOfFile: Self.folder + "/crontab", encoding: .utf8)
            .replacingOccurrences(of: "/usr/bin/onesheet", with: BuiltProgram.path)
            .replacingOccurrences(of: "/var/cache/onesheet", with: program.cache)
            .replacingOccurrences(
                of: "/etc/onesheet/amodb.key", with: program.directory.path + "/key")
        var variables =
            ["SHELL=/bin/sh", "LOGNAME=onesheet", "PATH=/usr/bin:/bin"] + home
            + ["IMAGE", "API"].map { name in
                let base = name == "API" ? upstream.origin.apiBase : upstream.origin.imageBase
                return "ONESHEET_\(name)_BASE=\(base)"
            }
        var commands = 0
        for line in table.split(separator: "\n") where !line.hasPrefix("#") {
            // Five fields of time and the user, before the command.
            let fields = line.split(separator: " ", maxSplits: 6, omittingEmptySubsequences: true)
            guard fields.count == 7 else {
                variables.append(String(line))
                continue
            }
            #expect(!fields[6].contains("%"), "cron makes a line's end of it")
            let command = String(fields[6])
            let job = ["-w", "/usr/bin/env", "-i"] + variables + ["/bin/sh", "-c", command]
            let ended = try run("/usr/bin/setsid", job)
            #expect(ended.status == 0 && ended.text == "", "\(ended.text)")
            commands += 1
        }
        #expect(commands == 2)
        let entries = program.directory.files().filter { $0.hasPrefix("cache/thumbs/120x180") }
        #expect(entries.count == 18)
    }

    @Test(
        "systemd calls what a unit may do little",
        .enabled(if: access("/usr/bin/systemd-analyze", X_OK) == 0),
        arguments: [
            "onesheet.service", "onesheet-prefetch.service", "onesheet-prune.service",
            "onesheet@1.service", "onesheet-prune@1.service",
        ])
    func exposure(name: String) throws {
        let directory = TemporaryDirectory()
        let template = name.replacingOccurrences(of: "@1", with: "@")
        try FileManager.default.copyItem(
            atPath: "\(Self.folder)/\(template)", toPath: "\(directory.path)/\(name)")
        // In tenths, of 100.
        let judged = try run(
            "/usr/bin/systemd-analyze", "security", "--offline=true", "--threshold=15",
            "\(directory.path)/\(name)")
        #expect(judged.status == 0, "\(judged.text.suffix(200))")
    }

    @Test(
        "the units are ones that systemd has nothing to say of",
        .enabled(if: access("/usr/bin/systemd-analyze", X_OK) == 0),
        arguments: [
            "onesheet.service", "onesheet-prefetch.service", "onesheet-prune.service",
            "onesheet-prefetch.timer", "onesheet-prune.timer", "onesheet.socket",
            "onesheet@1.service", "onesheet-prune@1.service", "onesheet-prune@1.timer",
        ])
    func units(name: String) throws {
        // With a program in the place of the one that is not installed.
        let directory = TemporaryDirectory()
        for unit in try FileManager.default.contentsOfDirectory(atPath: Self.folder)
        where [".service", ".timer", ".socket"].contains(where: unit.hasSuffix) {
            try String(contentsOfFile: "\(Self.folder)/\(unit)", encoding: .utf8)
                .replacingOccurrences(of: "/usr/bin/onesheet", with: "/usr/bin/true")
                .write(toFile: "\(directory.path)/\(unit)", atomically: true, encoding: .utf8)
        }
        for unit in ["onesheet.service", "onesheet@.service"] {
            let folder = "\(directory.path)/\(unit).d"
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: false)
            try FileManager.default.copyItem(
                atPath: "\(Self.folder)/onesheet-store.conf", toPath: folder + "/store.conf")
        }
        let verified = try run(
            "/usr/bin/systemd-analyze", "verify", "--man=no", "\(directory.path)/\(name)")
        #expect(verified.status == 0)
        #expect(!verified.text.contains("onesheet"))
    }
}
