import Foundation
import Testing
import TestSupport

@testable import PosterBase
@testable import PosterFetch
@testable import PosterKit

@Suite struct SharedPauseTests {
    private let folder = TemporaryDirectory()
    private let asked = HostPause.Cause(text: "rate_limited: status 429", isAsked: true)

    init() throws {
        for name in ["hosts", "tmp"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/\(name)", withIntermediateDirectories: false)
        }
    }

    /// As another process would have it.
    private func pause(_ host: String = "https://img.example") -> SharedPause {
        SharedPause(cacheDirectory: folder.path, host: host)
    }

    /// A governor as another process would have it.
    private func governor(_ clock: TimeSource = .system) -> HostGovernor {
        HostGovernor("https://img.example", perSecond: 0, shared: pause(), clock: clock)
    }

    private let tooMany = HostGovernor.Ending.failed(
        FetchError(.rateLimited, "status 429", retryAfterSeconds: 600), url: "/")

    @Test func `what one process writes is news to another, once, and to itself never`() throws {
        let (writer, reader) = (pause(), pause())
        #expect(reader.news() == nil)
        writer.write(.seconds(60), because: asked)
        #expect(writer.news() == nil)
        let news = try #require(reader.news())
        #expect(news.cause == asked)
        #expect((Duration.seconds(50)...Duration.seconds(60)).contains(news.left))
        #expect(reader.news() == nil)
        writer.write(.seconds(90), because: asked)
        #expect(try #require(reader.news()).left > .seconds(60))
        #expect(pause("https://other.example").news() == nil)
    }

    @Test func `a host that is well again leaves no file, unless somebody knows better`() {
        let (first, second) = (pause(), pause())
        first.write(.seconds(60), because: asked)
        second.write(.seconds(60), because: asked)
        first.clear()
        #expect(folder.files().count == 1)
        second.clear()
        #expect(folder.files().isEmpty)
    }

    @Test func `only one process probes at a time`() {
        let (first, second) = (pause(), pause())
        #expect(first.beginProbe())
        #expect(!second.beginProbe())
        first.endProbe()
        #expect(second.beginProbe())
    }

    @Test func `a process that starts obeys what another has learnt`() throws {
        let (server, prefetch) = (governor(), governor())
        server.settle(try server.admit(), tooMany)
        let error = #expect(throws: FetchError.self) { try prefetch.admit() }
        #expect(error?.reason == .backingOff)
        #expect((590...600).contains(error?.retryAfterSeconds ?? 0))
        #expect(error?.detail.contains("status 429") == true)
    }

    @Test func `a pause that another process began is told to the operator, once`() throws {
        let lines = Monitor<[String]>([])
        let log = Log { _, line in lines.withLock { $0.append(line) } }
        let (server, prefetch) = (
            HostGovernor("https://img.example", perSecond: 0, shared: pause(), log: log), governor()
        )
        prefetch.settle(try prefetch.admit(), tooMany)
        for _ in 0..<3 { #expect(throws: FetchError.self) { try server.admit() } }
        #expect(lines.withLock { $0 }.count == 1)
        let line = lines.withLock { $0.first ?? "" }
        #expect(line.contains("event=upstream_paused host=https://img.example seconds="), "\(line)")
        #expect(line.contains("status 429"))
    }

    @Test func `a process that starts obeys with all its threads`() throws {
        pause().write(.seconds(600), because: asked)
        for _ in 0..<20 {
            let (prefetch, admitted) = (governor(), Monitor(0))
            let threads = (0..<8).map { _ in
                PosixThread(name: "asks") {
                    do throws(FetchError) {
                        _ = try prefetch.admit()
                        admitted.withLock { $0 += 1 }
                    } catch {}
                }
            }
            for thread in threads { thread.join() }
            #expect(admitted.withLock { $0 } == 0)
        }
    }

    @Test func `when the pause is over one process probes and opens the host for both`() throws {
        let passed = Monitor(Duration.zero)
        let start = ContinuousClock.now
        let clock = TimeSource(now: { .now() }, instant: { start + passed.withLock { $0 } })
        let (server, prefetch) = (governor(clock), governor(clock))
        server.settle(try server.admit(), tooMany)
        #expect(throws: FetchError.self) { try prefetch.admit() }
        passed.withLock { $0 = .seconds(600) }
        let probe = try prefetch.admit()
        #expect(probe.isProbe)
        let held = #expect(throws: FetchError.self) { try server.admit() }
        #expect(held?.retryAfterSeconds == 1)
        prefetch.settle(probe, .answered)
        #expect(folder.files().filter { !$0.hasSuffix(".probe") }.isEmpty)
        passed.withLock { $0 = .seconds(602) }
        let next = try server.admit()
        server.settle(next, .answered)
        #expect(try !server.admit().isProbe)
    }

    @Test func `a disk that is gone changes nothing in the process`() throws {
        try FileManager.default.removeItem(atPath: folder.path)
        let governor = governor()
        governor.settle(try governor.admit(), tooMany)
        #expect(throws: FetchError.self) { try governor.admit() }
        #expect(governor.pauseLeft != nil)
    }

    @Test(
        "a file that is none of ours is no pause",
        arguments: [
            "", "onesheet-pause 1", "onesheet-pause 2\na\n1\n1\nasked\nx\n", "\u{0}\u{0}",
            "onesheet-pause 1\na\nx\n1\nasked\nx\n", "onesheet-pause 1\na\n1\n1\nperhaps\nx\n",
            "onesheet-pause 1\n\n-9223372036854775808\n-9223372036854775808\nasked\nx\n",
            "onesheet-pause 2\na\n1\n1\n1\nasked\nx\n",
            "onesheet-pause 2\na\n1\n1\n1\nx\nasked\nx\n",
        ])
    func foreign(text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: "\(folder.path)/hosts/https___img.example"))
        #expect(pause().news() == nil)
    }
}

@Suite struct PauseRecordTests {
    private let cause = HostPause.Cause(text: "tls: bad\ncertificate", isAsked: false)
    private let now = Timestamp(seconds: 1_796_000_000)
    private let boot = PauseRecord.Boot(id: "b1", nanoseconds: 5_000_000_000)

    private var record: PauseRecord {
        PauseRecord(.seconds(100), because: cause, now: now, boot: boot)
    }

    @Test func `it reads back as itself, its cause on one line`() throws {
        let read = try #require(PauseRecord(record.description))
        #expect(read.description == record.description)
        #expect(read.cause.text == "tls: badcertificate")
        #expect(!read.cause.isAsked)
    }

    @Test func `the boot clock counts, whatever the wall clock says`() {
        let later = PauseRecord.Boot(id: "b1", nanoseconds: 35_000_000_000)
        for wall in [now, now + .seconds(1_000_000), now - .seconds(1_000_000)] {
            #expect(record.left(now: wall, boot: later) == .seconds(70))
        }
    }

    @Test func `after a restart the wall clock counts, while it can be right`() {
        let restarted = PauseRecord.Boot(id: "b2", nanoseconds: 1)
        #expect(record.left(now: now + .seconds(60), boot: restarted) == .seconds(40))
        #expect(record.left(now: now - .seconds(2), boot: restarted) == .seconds(100))
        #expect(record.left(now: now - .seconds(301), boot: restarted) == nil)
    }

    @Test func `without a boot's number an uptime that is shorter is a restart`() {
        let running = PauseRecord.Boot(id: "", nanoseconds: 8_640_000_000_000_000)
        let record = PauseRecord(.seconds(100), because: cause, now: now, boot: running)
        let restarted = PauseRecord.Boot(id: "", nanoseconds: 60_000_000_000)
        #expect(record.left(now: now + .seconds(90), boot: restarted) == .seconds(10))
        #expect(record.left(now: now + .seconds(190), boot: restarted) == .seconds(-90))
    }

    /// A machine whose wall clock is set at random and that restarts now and then; the record is
    /// looked at each minute. Whatever the clocks say, it is over an hour after it was written, or
    /// after the first restart at which the clock was behind it.
    @Test("no pause outlives an hour of the machine's time", arguments: 0..<200)
    func bounded(seed: UInt64) throws {
        var numbers = SplitMix(seed: seed)
        var skew = Duration.seconds(numbers.next(below: 63_072_000) - 31_536_000)
        var (boot, started) = (0, -numbers.next(below: 10_000_000))
        let true0 = Timestamp(seconds: 1_796_000_000)
        func moment(_ second: Int) -> (Timestamp, PauseRecord.Boot) {
            (
                true0 + .seconds(second) + skew,
                PauseRecord.Boot(
                    id: "b\(boot)", nanoseconds: Int64(second - started) * 1_000_000_000)
            )
        }
        let (written, first) = moment(0)
        let pause = Duration.seconds(numbers.next(below: 10_000))
        let text = PauseRecord(pause, because: cause, now: written, boot: first).description
        let record = try #require(PauseRecord(text))
        var wasSet = false
        for second in stride(from: 0, to: 40_000, by: 60) {
            if numbers.next(below: 200) == 0 {
                boot += 1
                started = second
            }
            if numbers.next(below: 300) == 0 {
                skew = .seconds(numbers.next(below: 63_072_000) - 31_536_000)
                wasSet = true
            }
            let (wall, boot) = moment(second)
            let left = record.left(now: wall, boot: boot)
            if let left { #expect(left <= .seconds(3600)) }
            if !wasSet, second > 3600 {
                #expect(left.map { $0 <= .zero } ?? true, "at \(second)")
            } else if !wasSet {
                #expect(left == min(pause, .seconds(3600)) - .seconds(second))
            }
        }
    }

    /// What a full disk, another program or a bad memory may leave there.
    @Test("any numbers are read without a fault", arguments: 0..<500)
    func extremes(seed: UInt64) {
        var numbers = SplitMix(seed: seed)
        let fields = (0..<4).map { _ in String(numbers.extreme()) }
        let id = numbers.next(below: 2) == 0 ? "b1" : "b2"
        let text = "onesheet-pause 2\n\(id)\n\(fields.joined(separator: "\n"))\nasked\nx\n"
        guard let record = PauseRecord(text) else { return #expect(Bool(false), "\(text)") }
        #expect(record.description == text)
        for _ in 0..<20 {
            let boot = PauseRecord.Boot(id: "b1", nanoseconds: numbers.extreme())
            let left = record.left(now: Timestamp(nanoseconds: numbers.extreme()), boot: boot)
            #expect(left.map { $0 <= .seconds(3600) } ?? true)
        }
    }
}

extension SharedPause {
    /// What another process wrote since the last look.
    fileprivate func news() -> (left: Duration, cause: HostPause.Cause)? {
        var news: (left: Duration, cause: HostPause.Cause)?
        passOnNews { news = ($0, $1) }
        return news
    }
}
