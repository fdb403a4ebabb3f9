import Amodb
import Foundation
import Testing
import TestSupport

@testable import FixtureOrigin
@testable import PosterBase
@testable import PosterCache
@testable import PosterKit

/// Processes that die at any moment, as when the machine runs out of memory.
@Suite struct KilledTests {
    private let upstream: Upstream
    private let program: BuiltProgram
    private let paths: [String]
    /// By entry, the bodies that upstream ever had for its poster.
    private let bodies: [String: Set<[UInt8]>]

    /// What is killed.
    private enum Job: CaseIterable {
        case prefetch, serve, prune
    }

    init() throws {
        upstream = try Upstream()
        program = upstream.program()
        let all = Array(Set(try Upstream.trendingPaths())).sorted()
        paths = Array(all.prefix(8))
        var bodies: [String: Set<[UInt8]>] = [:]
        for (path, other) in zip(paths, paths.dropFirst() + paths.prefix(1)) {
            bodies[path] = [try Self.picture(path), try Self.picture(other)]
        }
        self.bodies = bodies
    }

    private static func picture(_ path: String) throws -> [UInt8] {
        try Upstream.bytes("posters/w185\(path)")
    }

    /// With `ONESHEET_KILLS`, so many of each job.
    @Test func `what is killed at any moment leaves whole entries, and no work but one prune`()
        throws
    {
        let wanted = ProcessInfo.processInfo.environment["ONESHEET_KILLS"].flatMap { Int($0) }
        // How long an undisturbed run takes says when to kill.
        let start = ContinuousClock.now
        #expect(try prefetch().wait().status == 0)
        let milliseconds = max(20, Int(start.duration(to: .now) / .milliseconds(1)))
        var killed = 0
        for round in 0..<(wanted ?? 4) {
            for job in Job.allCases {
                try changeAndAge(round)
                let running = try begin(job)
                // Not to wait for anything: any moment will do.
                usleep(UInt32(Int.random(in: 0...(milliseconds * 1000))))
                running.signal(SIGKILL)
                if try running.wait().status == -SIGKILL { killed += 1 }
                try checkWhole("round \(round), \(job)")
            }
        }
        #expect(killed > 0)
        if wanted != nil { print("\(killed) processes killed before their end") }
        #expect(try prefetch().wait().status == 0)
        try checkWhole("at the end")
        let later = Timestamp.now() + .seconds(3700)
        _ = try Prune.run(program.cache, .init(maxAge: .seconds(40 * 86_400)), now: later)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: program.cache + "/tmp").isEmpty)
    }

    private func begin(_ job: Job) throws -> RunningProgram {
        switch job {
        case .prefetch: return try prefetch()
        case .prune: return try program.start(["prune", "--quiet"])
        case .serve:
            let server = try RunningServer(program, "--rate", "0")
            let paths = paths
            // Ends when nobody answers any more.
            _ = Elsewhere {
                for path in paths + paths {
                    _ = try server.get("/thumb/60x90\(path)")
                    _ = try server.get("/t/p/w185\(path)")
                }
            }
            return server.running
        }
    }

    private func prefetch() throws -> RunningProgram {
        try program.start(
            [
                "prefetch", "--quiet", "--from", "-", "--sizes", "w185", "--thumbs", "60x90",
                "--rate", "0",
            ], input: paths.joined(separator: "\n") + "\n")
    }

    /// Every other poster is another one upstream, and two of three entries are a month old.
    private func changeAndAge(_ round: Int) throws {
        for (index, path) in paths.enumerated() {
            let versions = [path, paths[(index + 1) % paths.count]]
            let version = try Self.picture(versions[(index + round) % 2])
            upstream.origin.put(
                "/t/p/w185\(path)", version, headers: [("ETag", "\"\((index + round) % 2)\"")])
            let name = path.dropFirst()
            for folder in ["posters/w185", "thumbs/60x90-cover-q82.jpeg"]
            where (index + round) % 3 != 0 {
                let then = timespec(tv_sec: time(nil) - 31 * 86_400, tv_nsec: 0)
                let file = "\(program.cache)/\(folder)/\(name.prefix(2))/\(name)"
                utimensat(AT_FDCWD, file, [then, then], AT_SYMLINK_NOFOLLOW)
            }
        }
    }

    /// Whatever lies in an entry's place is whole, and one that upstream had.
    private func checkWhole(_ place: Comment) throws {
        let verified = try Verification.run(program.cache, deletesBad: false)
        #expect(verified.bad.map(\.path) == [], place)
        #expect(verified.failures == [], place)
        let cache = try DiskCache(directory: program.cache, log: .silent, metrics: CacheMetrics())
        for path in paths {
            let key = EntryKey.poster(try PosterPath(path), .w185)
            guard case .entry(let entry) = cache.read(key) else { continue }
            #expect(bodies[path]?.contains(entry.picture.bytes) == true, place)
        }
    }
}
