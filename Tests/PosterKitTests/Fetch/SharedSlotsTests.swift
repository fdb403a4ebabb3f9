import Foundation
import Testing
import TestSupport

@testable import PosterBase
@testable import PosterFetch
@testable import PosterKit

@Suite struct SharedSlotsTests {
    private let folder = TemporaryDirectory()
    private let time = TestTime()

    private var path: String { folder.path + "/slots" }

    /// Slots as a process of its own has them.
    private func slots(
        _ count: Int, rest: Duration = .zero, path: String? = nil,
        onFailure: @escaping @Sendable (FileError) -> Void = { _ in }
    ) -> SharedSlots {
        SharedSlots(
            path ?? self.path, .init(count: count, rest: rest, lease: .seconds(15)),
            clock: time.clock, onFailure: onFailure)
    }

    @Test func `a burst passes at once and the rest a second later, whoever asks`() {
        let processes = (0..<2).map { _ in slots(3, rest: .seconds(1)) }
        var used: [Duration] = []
        for number in 0..<10 {
            while true {
                switch processes[number % 2].take() {
                case .taken(let slot):
                    used.append(time.passed)
                    processes[number % 2].give(back: slot, wasUsed: true)
                case .wait(let end, _):
                    time.set(to: end)
                    continue
                }
                break
            }
        }
        #expect(used == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3].map { .seconds($0) })
    }

    @Test func `a slow asker never waits`() {
        let slots = slots(2, rest: .seconds(1))
        for _ in 0..<10 {
            guard let slot = slots.take().slot else { return #expect(Bool(false)) }
            slots.give(back: slot, wasUsed: true)
            time.advance(by: .milliseconds(500))
        }
    }

    @Test func `a slot that was not used can be had again at once`() throws {
        let (first, second) = (slots(1, rest: .seconds(1)), slots(1, rest: .seconds(1)))
        let slot = try #require(first.take().slot)
        #expect(second.take().slot == nil)
        first.give(back: slot, wasUsed: false)
        #expect(second.take().slot != nil)
    }

    @Test func `what a process held is free when it dies, and rests where it may have been used`() {
        for rest in [Duration.zero, .seconds(1)] {
            let path = "\(folder.path)/\(rest == .zero ? "places" : "turns")"
            let survivor = slots(2, rest: rest, path: path)
            do {
                let dying = slots(2, rest: rest, path: path)
                #expect(dying.take().slot != nil)
                #expect(dying.take().slot != nil)
                #expect(survivor.take().slot == nil)
            }
            let atOnce = survivor.take().slot
            #expect((atOnce != nil) == (rest == .zero))
            time.advance(by: rest)
            #expect(survivor.take().slot != nil)
        }
    }

    @Test func `a process that was stopped is passed over after its lease, and knows it`() throws {
        let (stopped, other) = (slots(1), slots(1))
        let lost = try #require(stopped.take().slot)
        time.advance(by: .seconds(15) - .nanoseconds(1))
        #expect(other.take().slot == nil)
        time.advance(by: .nanoseconds(1))
        let taken = try #require(other.take().slot)
        #expect(time.clock.instant() >= lost.leaseEnd)
        // It goes on, and what it writes is not looked at.
        stopped.give(back: lost, wasUsed: true)
        #expect(stopped.take().slot == nil)
        #expect(slots(1).take().slot == nil)
        other.give(back: taken, wasUsed: true)
        #expect(stopped.take().slot != nil)
    }

    @Test func `a slot outlives three stopped processes`() throws {
        var stopped: [(SharedSlots, SharedSlots.Slot)] = []
        for _ in 0..<SlotRecord.lanes {
            let process = slots(1)
            stopped.append((process, try #require(process.take().slot)))
            time.advance(by: .seconds(15))
        }
        #expect(slots(1).take().slot == nil)
        for (process, slot) in stopped { process.give(back: slot, wasUsed: true) }
        #expect(slots(1).take().slot != nil)
    }

    @Test func `who has fewer slots finds them free while others have room`() throws {
        let (many, few) = (slots(8), slots(2))
        for _ in 0..<6 { #expect(many.take().slot != nil) }
        let own = try (0..<2).map { _ in try #require(few.take().slot) }
        #expect(few.take().slot == nil)
        #expect(many.take().slot == nil)
        few.give(back: own[0], wasUsed: true)
        #expect(many.take().slot != nil)
    }

    @Test func `background work of any process waits while a visitor does`() {
        let (server, prefetch) = (slots(2), slots(2))
        server.noteVisitor(waitsUntil: time.clock.instant() + .milliseconds(20))
        #expect(prefetch.take(.background).slot == nil)
        #expect(prefetch.take(.live).slot != nil)
        time.advance(by: .milliseconds(20))
        #expect(prefetch.take(.background).slot != nil)
        // A note that nobody takes back, or that garbage makes, ends.
        server.noteVisitor(waitsUntil: time.clock.instant() + .seconds(1_000_000))
        time.advance(by: .seconds(2))
        server.noteVisitor(waitsUntil: time.clock.instant())
    }

    @Test func `where there is no file the limit holds for the process, and is told once`() throws {
        let failures = Monitor(0)
        let slots = slots(2, path: "\(folder.path)/none/slots") { _ in
            failures.withLock { $0 += 1 }
        }
        let slot = try #require(slots.take().slot)
        #expect(slots.take().slot != nil)
        for _ in 0..<10 { #expect(slots.take().slot == nil) }
        slots.give(back: slot, wasUsed: true)
        #expect(slots.take().slot != nil)
        #expect(failures.withLock { $0 } == 1)
    }

    @Test func `a directory that is replaced takes no slot from its holder`() throws {
        let (first, second) = (slots(1), slots(1))
        #expect(first.take().slot != nil)
        try FileManager.default.removeItem(atPath: path)
        // Each looks for the file once a second of its own, and then makes it.
        while !FileManager.default.fileExists(atPath: path) { _ = first.take() }
        #expect(first.take().slot == nil)
        #expect(second.take().slot == nil)
        #expect(slots(1).take().slot == nil)
    }

    /// What other programs, a bad memory or a file of a later version may leave.
    @Test("any bytes are slots that can be had within a lease and a rest", arguments: 0..<60)
    func garbage(seed: UInt64) throws {
        var numbers = SplitMix(seed: seed)
        var bytes: [UInt8] = []
        for _ in 0..<SlotImage.size(slots: 4) / 8 {
            let word = numbers.next(below: 3) == 0 ? UInt64(bitPattern: numbers.extreme()) : 0
            bytes += withUnsafeBytes(of: word) { Array($0) }
        }
        bytes.removeLast(numbers.next(below: bytes.count))
        try Data(bytes).write(to: URL(filePath: path))
        let slots = slots(4, rest: .seconds(1))
        let end = time.clock.instant() + .seconds(16)
        var taken = 0
        while taken < 4, time.clock.instant() < end {
            switch slots.take(.background) {
            case .taken: taken += 1
            case .wait(let next, let held):
                time.set(to: held ? min(next, time.clock.instant() + .milliseconds(10)) : next)
            }
        }
        #expect(taken == 4)
    }

    @Test("a record reads back as itself, whatever its numbers", arguments: 0..<50)
    func record(seed: UInt64) {
        var numbers = SplitMix(seed: seed)
        let generation = numbers.next() >> 3
        let record = SlotRecord(
            generation: generation, isHeld: seed.isMultiple(of: 2), stamp: numbers.extreme())
        #expect(SlotRecord(record.bytes, at: 0) == record)
        for _ in 0..<50 {
            let standing = record.standing(now: numbers.extreme(), rest: .seconds(1))
            if case .resting(let left) = standing { #expect(left <= .seconds(1)) }
        }
    }
}

extension SharedSlots.Turn {
    /// The slot that was had.
    var slot: SharedSlots.Slot? {
        if case .taken(let slot) = self { slot } else { nil }
    }
}

/// A clock that goes on when a test says so.
final class TestTime: Sendable {
    private let elapsed = Monitor(Duration.zero)
    private let begin = (now: Timestamp.now(), instant: ContinuousClock.now)

    /// The moment at which it was made.
    var start: ContinuousClock.Instant { begin.instant }

    var clock: TimeSource {
        TimeSource(
            now: { [begin, elapsed] in begin.now + elapsed.withLock { $0 } },
            instant: { [begin, elapsed] in begin.instant + elapsed.withLock { $0 } })
    }

    /// Since the clock was made.
    var passed: Duration { elapsed.withLock { $0 } }

    func advance(by duration: Duration) { elapsed.withLock { $0 += duration } }

    /// Goes on to a moment, if it has not passed.
    func set(to moment: ContinuousClock.Instant) {
        elapsed.withLock { $0 = max($0, moment - begin.instant) }
    }
}
