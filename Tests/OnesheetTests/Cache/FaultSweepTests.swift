import Amodb
import Foundation
import Testing
import TestSupport

@testable import FixtureOrigin
@testable import PosterCache
@testable import PosterKit

/// Lets every call that changes the cache fail, one a run, until a run has no such call any more:
/// what is found afterwards is old, new or nothing, and the next run mends it.
@Suite struct FaultSweepTests {
    /// What a run does to the cache.
    enum Job: String, CaseIterable, Sendable {
        /// A poster and a thumbnail into a cache that is not there yet.
        case store
        /// Both are expired; upstream says unchanged.
        case refresh
        /// Both are expired; upstream has another picture.
        case replace
        /// A list.
        case list
        /// Two of four entries and a list are too old.
        case prune
    }

    @Test("no failing call spoils the cache", arguments: Job.allCases)
    func sweep(job: Job) throws {
        let isFull = ProcessInfo.processInfo.environment["ONESHEET_EVERY_FAULT"] != nil
        let kinds = FaultyDisk.Kind.allCases.filter { !$0.isDeath }
        var number = 1
        while true {
            // In turn, unless all are asked for: a call has a dozen ways to fail, and the time
            // that the tests take is somebody's.
            let failures = isFull ? kinds : [kinds[number % kinds.count]]
            var isReached = false
            for kind in [.kill, .torn] + failures {
                let run = try SweepRun(job)
                isReached = try run.fail(at: number, kind) || isReached
            }
            guard isReached else { break }
            number += 1
        }
        #expect(number > 3, "\(number - 1) calls")
    }

    @Test(
        "a disk that takes nothing more from some call on serves pictures nevertheless",
        arguments: [1, 2, 7])
    func dead(number: Int) throws {
        for kind in ["ENOSPC+", "EROFS+", "EIO+", "EMFILE+"] {
            try SweepRun(.replace).serveUncached(from: number, kind)
        }
    }

    @Test("no failing read removes anything", arguments: ["EIO", "EMFILE", "EACCES", "ESTALE"])
    func reads(kind: String) throws {
        var number = 1
        while try SweepRun(.refresh).failRead(at: number, kind) { number += 1 }
        #expect(number > 8)
    }

    @Test func `a start looks at as much of a large cache as of an empty one`() throws {
        var counts: [Int] = []
        for shards in [0, 400] {
            var program = BuiltProgram()
            // A cache of before; a directory of other things is refused.
            try program.makeFolder("cache")
            try program.write("cache/\(CacheTag.name)", Array(CacheTag.text.utf8))
            for number in 0..<shards {
                let shard = "A\(number % 10)"
                let rendition = "thumbs/\(10 + number / 10)x90-cover-q82.jpeg"
                try program.makeFolder("cache/\(rendition)/\(shard)")
                try program.write("cache/\(rendition)/\(shard)/\(shard)x.jpg", [7])
            }
            // The first start makes the layout.
            for log in ["first", "second"] {
                let file = "\(program.directory.path)/\(log)"
                program.environment = try FaultyDisk.environment(
                    below: program.cache, at: 0, "EIO", .reads, log: file)
                program.environment["ONESHEET_CACHE_DIR"] = program.cache
                let server = try RunningServer(program)
                if log == "second" { counts.append(FaultyDisk.count(in: file)) }
                #expect(try server.stop(SIGTERM) == 0)
            }
        }
        #expect(counts[0] > 0)
        #expect(counts[0] == counts[1])
    }
}
