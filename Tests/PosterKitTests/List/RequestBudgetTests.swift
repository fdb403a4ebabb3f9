import CLinux
import Foundation
import Glibc
import Testing
import TestSupport

@testable import PosterBase
@testable import PosterFetch
@testable import PosterKit
@testable import PosterLists

/// Every budget of these tests stands for a process of its own on one cache directory.
@Suite struct RequestBudgetTests {
    /// A cache directory, a clock that a test sets, and budgets on them.
    private final class Bench: Sendable {
        let folder = TemporaryDirectory()
        let passed = Monitor(Duration.zero)
        let wallAhead = Monitor(Duration.zero)
        private let start = (now: Timestamp.now(), instant: ContinuousClock.now)

        init() throws {
            try FileManager.default.createDirectory(
                atPath: folder.path + "/hosts", withIntermediateDirectories: true)
        }

        var path: String { folder.path + "/hosts/http___api.budget" }

        var clock: TimeSource {
            TimeSource(
                now: { [start, passed, wallAhead] in
                    start.now + passed.withLock { $0 } + wallAhead.withLock { $0 }
                },
                instant: { [start, passed] in start.instant + passed.withLock { $0 } })
        }

        func budget(_ perMinute: Int) -> RequestBudget {
            RequestBudget(
                perMinute: perMinute,
                file: BudgetFile(cacheDirectory: folder.path, host: "http://api"),
                clock: clock)
        }

        func advance(by duration: Duration) { passed.withLock { $0 += duration } }
    }

    private func take(
        _ budget: RequestBudget, _ claim: RequestBudget.Claim = .listInUse
    ) -> RequestBudget.Permit? {
        do throws(RequestBudget.Spent) { return try budget.take(claim) } catch { return nil }
    }

    /// How many permits there are to be had now.
    private func count(
        _ budget: RequestBudget, _ claim: RequestBudget.Claim = .listInUse
    ) -> Int {
        var count = 0
        while let permit = take(budget, claim), count < 10_000 {
            budget.settle(permit)
            count += 1
        }
        return count
    }

    @Test(
        "random traffic of several processes keeps every rule", arguments: [1, 2, 3, 4, 7, 20, 120])
    func rules(perMinute: Int) throws {
        struct Grant {
            let claim: RequestBudget.Claim
            let taken: Duration
            var ended: Duration
        }
        let bench = try Bench()
        let processes = (0..<3).map { _ in bench.budget(perMinute) }
        let others = RequestBudget.slots(perMinute, for: .otherList)
        let prefetch = RequestBudget.slots(perMinute, for: .prefetch)
        #expect(others >= 1 && others <= prefetch && prefetch <= perMinute)
        #expect(perMinute < 3 || others < prefetch)
        #expect(perMinute < 4 || perMinute - prefetch >= perMinute / 4)
        var grants: [Grant] = []
        var inFlight: [(RequestBudget, RequestBudget.Permit, grant: Int)] = []
        for _ in 0..<3000 {
            bench.advance(by: .milliseconds(Int.random(in: 0...(120_000 / (perMinute * 4)))))
            let now = bench.passed.withLock { $0 }
            // No request takes longer than 15 s, and this clock goes by 30 s at most.
            while let (budget, permit, grant) = inFlight.first,
                Bool.random() || grants[grant].taken + .seconds(15) <= now
            {
                budget.settle(permit)
                grants[grant].ended = now
                inFlight.removeFirst()
            }
            let recent = grants.filter { now - $0.ended < .seconds(60) }
            let claim: RequestBudget.Claim = [.listInUse, .prefetch, .otherList].randomElement()!
            let process = processes[Int.random(in: 0..<3)]
            let most = RequestBudget.slots(perMinute, for: claim)
            guard let permit = take(process, claim) else {
                #expect(recent.count >= most, "refused with \(recent.count) of \(most)")
                continue
            }
            #expect(recent.count < perMinute)
            // What may use no more than this one does not use more together, either.
            let ofClaim = recent.filter { RequestBudget.slots(perMinute, for: $0.claim) <= most }
            #expect(ofClaim.count < most)
            if Int.random(in: 0..<10) == 0 {
                process.release(permit)
            } else {
                inFlight.append((process, permit, grants.count))
                grants.append(Grant(claim: claim, taken: now, ended: now))
            }
        }
        // As the API counts: in no minute that begins with a request are there more.
        for grant in grants {
            let sent = grants.filter {
                grant.taken <= $0.taken && $0.taken < grant.taken + .seconds(60)
            }
            #expect(sent.count <= perMinute)
        }
        #expect(grants.count > 50)
    }

    @Test func `threads of many processes at once take every slot once`() throws {
        let bench = try Bench()
        for _ in 0..<100 {
            let taken = Monitor(0)
            let isOpen = Monitor(false)
            let threads = (0..<6).map { _ in
                PosixThread(name: "budget") { [bench] in
                    let budget = bench.budget(3)
                    isOpen.wait { $0 ? () : nil }
                    do throws(RequestBudget.Spent) {
                        _ = try budget.take(.listInUse)
                        taken.withLock { $0 += 1 }
                    } catch {}
                }
            }
            isOpen.withLock { $0 = true }
            isOpen.notifyAll()
            for thread in threads { thread.join() }
            // A slot that was locked when it was looked at may be left over.
            let rest = count(bench.budget(3))
            #expect(taken.withLock { $0 } + rest == 3)
            bench.advance(by: .seconds(61))
        }
    }

    @Test func `a slot that is taken between the look and the lock is not taken again`() throws {
        let bench = try Bench()
        let file = BudgetFile(cacheDirectory: bench.folder.path, host: "http://api")
        let (other, isFirst) = (Monitor<Int?>(nil), Monitor(true))
        // The clock is read after the look.
        let clock = TimeSource(
            now: {
                let isFirst = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                if isFirst, case .taken(let slot, _) = file.take(3, .system) {
                    other.withLock { $0 = slot }
                }
                return .now()
            }, instant: { .now })
        guard case .taken(let slot, _) = file.take(3, clock) else {
            return #expect(Bool(false), "none is free")
        }
        #expect(other.withLock { $0 } == 0)
        #expect(slot == 1)
    }

    @Test func `a quarter is for lists in use and an eighth for prefetch, whatever else is asked`()
        throws
    {
        let bench = try Bench()
        let (stranger, regular) = (bench.budget(20), bench.budget(20))
        #expect(count(stranger, .otherList) == 12)
        #expect(count(regular, .otherList) == 0)
        #expect(count(regular, .prefetch) == 3)
        #expect(count(regular) == 5)
        bench.advance(by: .seconds(59))
        let spent = #expect(throws: RequestBudget.Spent.self) { try stranger.take(.otherList) }
        #expect(spent?.retryAfterSeconds == 1)
        bench.advance(by: .seconds(1))
        #expect(count(stranger, .otherList) == 12)
    }

    @Test func `a process that is stopped with a slot in its hand costs that slot alone`() throws {
        let bench = try Bench()
        _ = bench.budget(4).take4()
        bench.advance(by: .seconds(60))
        let held = open(bench.path, O_RDWR)
        defer { close(held) }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        (lock.l_start, lock.l_len) = (0, off_t(BudgetStamp.length))
        #expect(fcntl(held, set_lock_of_open_file, &lock) == 0)
        let budget = bench.budget(4)
        #expect(count(budget) == 3)
        #expect(throws: RequestBudget.Spent.self) { try budget.take(.listInUse) }
    }

    @Test func `a request that was not sent gives its slot back`() throws {
        let bench = try Bench()
        let budget = bench.budget(1)
        for _ in 0..<10 {
            let permit = try budget.take(.listInUse)
            #expect(take(bench.budget(1)) == nil)
            budget.release(permit)
        }
        _ = try bench.budget(1).take(.listInUse)
    }

    @Test func `a slot is free a minute after the answer, not after the question`() throws {
        let bench = try Bench()
        let budget = bench.budget(1)
        let permit = try budget.take(.listInUse)
        bench.advance(by: .seconds(15))
        budget.settle(permit)
        bench.advance(by: .milliseconds(59_999))
        #expect(take(budget) == nil && take(bench.budget(1)) == nil)
        bench.advance(by: .milliseconds(1))
        #expect(take(bench.budget(1)) != nil)
    }

    @Test("a wall clock that jumps changes nothing", arguments: [-400, -1, 1, 400])
    func clockJumps(days: Int) throws {
        let bench = try Bench()
        #expect(count(bench.budget(20)) == 20)
        bench.wallAhead.withLock { $0 = .seconds(days * 86_400) }
        #expect(count(bench.budget(20)) == 0)
        bench.advance(by: .seconds(60))
        #expect(count(bench.budget(20)) == 20)
        bench.wallAhead.withLock { $0 = .zero }
        #expect(count(bench.budget(20)) == 0)
    }

    @Test func `after a restart of the machine the wall clock decides, for a minute at most`() {
        let minute = Duration.seconds(60)
        let now = BudgetStamp(boot: 1, sinceBoot: 10_000_000_000, wall: .now())
        for seconds in -200...200 {
            let age = Duration.seconds(seconds)
            let old = BudgetStamp(boot: 2, sinceBoot: 9_000_000_000_000, wall: now.wall - age)
            let isNear = age > .zero - minute && age < minute
            #expect(old.left(now: now) == (isNear ? minute - age : .zero))
        }
    }

    @Test func `no stamp traps, and none holds a slot for over two minutes`() {
        let extremes = [
            Int64.min, .min + 1, -1, 0, 1, .max - 1, .max, 60_000_000_000, -60_000_000_000,
        ]
        var stamps = (0..<2000).map { _ in
            BudgetStamp((0..<24).map { _ in UInt8.random(in: .min ... .max) }[...])
        }
        for boot in [UInt64.min, 1, .max] {
            for first in extremes {
                stamps += extremes.map {
                    BudgetStamp(boot: boot, sinceBoot: first, wall: Timestamp(nanoseconds: $0))
                }
            }
        }
        for stamp in stamps {
            #expect(BudgetStamp(stamp.bytes[...]) == stamp)
            for now in stamps.suffix(250) where stamp.left(now: now) >= .seconds(120) {
                #expect(Bool(false), "\(stamp) at \(now)")
            }
        }
    }

    @Test func `a file that was damaged or cut holds no process up, and frees none that it took`()
        throws
    {
        let bench = try Bench()
        let budget = bench.budget(20)
        #expect(count(budget) == 20)
        for length in [0, 1, 23, 24, 25, 479, 480, 5000] {
            let noise = Data((0..<length).map { _ in UInt8.random(in: .min ... .max) })
            try noise.write(to: URL(filePath: bench.path))
            #expect(count(budget) == 0)
            #expect(count(bench.budget(20)) == 20)
        }
        try FileManager.default.removeItem(atPath: bench.path)
        #expect(count(budget) == 0)
    }

    @Test func `where there is no file to share, each process keeps the budget for itself`() throws
    {
        let bench = try Bench()
        for make in [
            {
                try FileManager.default.createDirectory(
                    atPath: $0, withIntermediateDirectories: false)
            },
            { mkfifo($0, 0o600) }, { symlink("/etc/passwd", $0) },
        ] as [(String) throws -> Any] {
            _ = try make(bench.path)
            let budget = bench.budget(20)
            #expect(count(budget) == 20)
            bench.advance(by: .seconds(60))
            #expect(count(budget, .otherList) == 12)
            try FileManager.default.removeItem(atPath: bench.path)
        }
        try FileManager.default.removeItem(atPath: bench.folder.path)
        #expect(count(bench.budget(20)) == 20)
    }

    @Test func `no limit is none`() throws {
        let bench = try Bench()
        #expect(count(bench.budget(0)) == 10_000)
    }
}

extension RequestBudget {
    fileprivate func take4() -> [Permit] {
        (0..<4).compactMap { _ in
            do throws(Spent) { return try take(.listInUse) } catch { return nil }
        }
    }
}
