import Foundation
import Testing
import TestSupport

@testable import FixtureOrigin

/// A disk that fails under a running server, and is well again.
@Suite(.enabled(if: SmallDisk.isPossible, "mounting a file system takes root"))
struct AilingDiskTests {
    /// What is wrong with it.
    enum Ailment: String, CaseIterable, Sendable {
        case full, noInodes, readOnly, fileSize

        var code: String {
            switch self {
            case .full, .noInodes: "disk_full"
            case .readOnly, .fileSize: "cache_not_writable"
            }
        }
    }

    private let upstream: Upstream
    private let paths: [String]

    init() throws {
        upstream = try Upstream()
        paths = Array(Set(try Upstream.trendingPaths())).sorted()
    }

    private func fetchRight(_ index: Int, from server: RunningServer) throws {
        let answer = try server.get("/t/p/w185\(paths[index])?fallback=error")
        #expect(answer.status == 200)
        #expect(answer.body == (try Upstream.bytes("posters/w185\(paths[index])")))
    }

    /// Asks for readiness until the status is `wanted`; the body of that answer, or `nil` when it
    /// takes longer than ten seconds.
    private func readiness(_ wanted: Int, of server: RunningServer) throws -> String? {
        let end = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < end {
            let answer = try server.get("/readyz")
            if answer.status == wanted { return String(decoding: answer.body, as: UTF8.self) }
            usleep(20_000)
        }
        return nil
    }

    private func lines(_ event: String, of server: RunningServer) -> Int {
        server.messages().components(separatedBy: "event=\(event)").count - 1
    }

    @Test(
        "pictures are served, readiness says why, and it heals by itself",
        arguments: Ailment.allCases)
    func heals(ailment: Ailment) throws {
        let options = ailment == .noInodes ? "size=4m,nr_inodes=60" : "size=1m"
        let disk = try #require(SmallDisk(options))
        var program = upstream.program()
        program.environment["ONESHEET_CACHE_DIR"] = disk.path + "/cache"
        let server = try RunningServer(program, "--memory", "0", "--deadline", "60")
        try fetchRight(0, from: server)
        let ballast = disk.path + "/ballast"
        switch ailment {
        case .full:
            #expect(throws: (any Error).self) {
                try Data(count: 2 << 20).write(to: URL(fileURLWithPath: ballast))
            }
        case .noInodes:
            #expect(mkdir(ballast, 0o755) == 0)
            for number in 0..<60 { mkdir("\(ballast)/\(number)", 0o755) }
        case .readOnly: #expect(disk.remount(isReadOnly: true, options))
        // A probe is shorter, a poster longer.
        case .fileSize: try limit(server, "--fsize=8192:")
        }
        for index in 0..<4 { try fetchRight(index, from: server) }
        let reason = try readiness(503, of: server)
        let code = ailment.code
        #expect(reason?.contains(code) == true, "\(reason ?? "ready")")
        switch ailment {
        case .full, .noInodes: try FileManager.default.removeItem(atPath: ballast)
        case .readOnly: #expect(disk.remount(isReadOnly: false, options))
        case .fileSize: try limit(server, "--fsize=unlimited:")
        }
        #expect(try readiness(200, of: server) != nil)
        try fetchRight(5, from: server)
        #expect(FileManager.default.fileExists(atPath: entry(5, below: disk.path + "/cache")))
        #expect(lines("cache_write_failing", of: server) == 1)
        #expect(lines("cache_write_restored", of: server) == 1)
        #expect(try server.stop(SIGTERM) == 0)
    }

    @Test func `a disk that is slow holds up nobody for longer than the deadline`() throws {
        var program = upstream.program()
        let paths = Array(paths.prefix(2))
        let filled = try program.run(
            ["prefetch", "--quiet", "--from", "-", "--sizes", "w185"],
            input: paths.joined(separator: "\n") + "\n")
        try #require(filled.status == 0)
        // Opening, looking and reading take 0.7 s each among the posters.
        program.environment.merge(
            try FaultyDisk.environment(
                below: program.cache + "/posters", at: 1, "SLOW700+", .reads,
                log: program.directory.path + "/calls")
        ) { $1 }
        let server = try RunningServer(program, "--memory", "0", "--deadline", "1")
        // The first look shows how slow it is.
        _ = try server.get("/t/p/w185\(paths[0])?fallback=error")
        let waiting = (0..<3).map { _ in
            Elsewhere { try server.get("/t/p/w185\(paths[1])?fallback=error").status }
        }
        #expect(try server.get("/healthz").status == 200)
        // A look takes 2.1 s; whoever had to wait for it would get the picture.
        for client in waiting { #expect(try client.wait() == 504) }
        #expect(try server.stop(SIGTERM) == 0)
        for index in 0..<2 {
            #expect(FileManager.default.fileExists(atPath: entry(index, below: program.cache)))
        }
    }

    private func entry(_ index: Int, below cache: String) -> String {
        let name = paths[index].dropFirst()
        return "\(cache)/posters/w185/\(name.prefix(2))/\(name)"
    }

    @Test func `without descriptors nothing is removed, and it heals without a request`() throws {
        // A connection that is kept would need no new descriptor.
        upstream.origin.misbehave(at: "/t/p/*", .http10(withLength: true))
        let server = try RunningServer(upstream.program(), "--memory", "0", "--deadline", "60")
        try fetchRight(0, from: server)
        // Room for a client, and for no file.
        let free = try server.nextDescriptor()
        try limit(server, "--nofile=\(free + 1):")
        _ = try server.get("/t/p/w185\(paths[0])")
        let reason = try readiness(503, of: server)
        #expect(reason?.contains("cache_not_readable") == true, "\(reason ?? "ready")")
        try limit(server, "--nofile=1024:")
        #expect(try readiness(200, of: server) != nil)
        try fetchRight(0, from: server)
        #expect(upstream.origin.requests(to: "/t/p/w185\(paths[0])") == 1)
        #expect(lines("cache_read_failing", of: server) == 1)
        #expect(lines("cache_read_restored", of: server) == 1)
        #expect(try server.stop(SIGTERM) == 0)
    }

    /// Does something again and again until a file is there, for ten seconds at most.
    private func untilThere(_ path: String, _ body: () throws -> Void) throws {
        let end = ContinuousClock.now + .seconds(10)
        while !FileManager.default.fileExists(atPath: path) {
            try #require(ContinuousClock.now < end, "\(path) did not come")
            try body()
        }
    }

    private func limit(_ server: RunningServer, _ option: String) throws {
        let command = Process()
        command.executableURL = URL(fileURLWithPath: "/usr/bin/prlimit")
        command.arguments = ["--pid", "\(server.running.process)", option]
        try command.run()
        command.waitUntilExit()
        try #require(command.terminationStatus == 0)
    }

    @Test(
        .enabled(if: PowerCut.isPossible, "breaking a file system takes root and a loop device"))
    func `a disk that gives nothing but errors loses nothing, and is used again when it is back`()
        throws
    {
        let disk = try #require(PowerCut())
        let cache = disk.path + "/cache"
        var program = upstream.program()
        program.environment["ONESHEET_CACHE_DIR"] = cache
        let server = try RunningServer(program, "--memory", "0", "--deadline", "60")
        try fetchRight(0, from: server)
        sync()
        #expect(disk.cut())
        // Every open, read and write ends in EIO now.
        try fetchRight(0, from: server)
        try fetchRight(1, from: server)
        let reason = try readiness(503, of: server)
        #expect(reason?.contains("Input/output error") == true, "\(reason ?? "ready")")
        upstream.origin.misbehave(at: "/t/p/*", .refused)
        // What was fetched meanwhile waits in memory to be stored; another poster has to be fetched.
        #expect(try server.get("/t/p/w185\(paths[2])?fallback=error").status == 502)
        #expect(lines("cache_entries_bad", of: server) == 0)
        disk.detach()
        // The server lets go of the old one when it finds another in its place.
        let end = ContinuousClock.now + .seconds(20)
        while !disk.attach(), .now < end {
            _ = try server.get("/t/p/w185\(paths[0])?fallback=error")
            usleep(20_000)
        }
        #expect(FileManager.default.fileExists(atPath: entry(0, below: cache)))
        let asked = upstream.origin.requests(to: "/t/p/w185\(paths[0])")
        var isBack = false
        while !isBack, .now < end {
            isBack = try server.get("/t/p/w185\(paths[0])?fallback=error").status == 200
        }
        #expect(isBack, "\(server.messages())")
        try fetchRight(0, from: server)
        #expect(upstream.origin.requests(to: "/t/p/w185\(paths[0])") == asked)
        #expect(try readiness(200, of: server) != nil)
        #expect(try server.stop(SIGTERM) == 0)
    }

    @Test func `a cache that is removed and put back is used again`() throws {
        let server = try RunningServer(upstream.program(), "--memory", "0", "--deadline", "60")
        let (cache, aside) = (server.program.cache, server.program.directory.path + "/aside")
        try fetchRight(0, from: server)
        try FileManager.default.moveItem(atPath: cache, toPath: aside)
        // The path is looked at once a second.
        try untilThere(cache) {
            try fetchRight(1, from: server)
            #expect(try server.get("/readyz").status == 200)
        }
        try FileManager.default.removeItem(atPath: cache)
        try FileManager.default.moveItem(atPath: aside, toPath: cache)
        try untilThere(entry(2, below: cache)) {
            try fetchRight(2, from: server)
            unlink(entry(2, below: aside))
        }
        try fetchRight(0, from: server)
        #expect(upstream.origin.requests(to: "/t/p/w185\(paths[0])") == 1)
        #expect(try server.stop(SIGTERM) == 0)
    }
}
