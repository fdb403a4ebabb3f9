import Foundation
import Testing
import TestSupport

@testable import PosterFetch
@testable import PosterKit

/// Several processes with several threads each ask one host, in time that a generator chooses: they
/// connect, send, arrive, are answered, end without a request, die and are stopped. What the host
/// counts is compared with the limits.
@Suite struct SlotScheduleTests {
    /// What one thread of a process does next, and when.
    private struct Event {
        var at: Duration
        let process: Int
        var step = Step.ask
    }

    private enum Step {
        case ask
        /// The request is sent, and arrives at the host.
        case arrive(HostLimits.Grant)
        case answer(HostLimits.Grant)
        case end(HostLimits.Grant)
    }

    private let folder = TemporaryDirectory()
    private let time = TestTime()

    private func limits(_ concurrency: Int, _ rate: Int) -> HostLimits {
        HostLimits(
            concurrency: concurrency, perSecond: rate, timeout: .seconds(15),
            cacheDirectory: folder.path, clock: time.clock)
    }

    @Test("the host never counts more than the limits", arguments: 0..<24)
    func schedule(seed: UInt64) throws {
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/hosts", withIntermediateDirectories: false)
        var numbers = SplitMix(seed: seed)
        let (rate, concurrency) = (numbers.next(below: 60) + 1, numbers.next(below: 10) + 1)
        let slowness = [5, 50, 500][numbers.next(below: 3)]
        // A stopped process is passed over after its lease, which takes a while.
        let mayStop = seed.isMultiple(of: 4)
        let end = Duration.seconds(mayStop ? 40 : 8)
        var processes = (0..<3).map { _ in limits(concurrency, rate) }
        var events = (0..<(mayStop ? 6 : 15)).map { Event(at: .zero, process: $0 % 3) }
        var (arrivals, open, most) = ([Duration](), 0, 0)
        func delay() -> Duration { .milliseconds(numbers.next(below: slowness) + 1) }

        while let index = events.indices.min(by: { events[$0].at < events[$1].at }),
            events[index].at < end
        {
            var event = events.remove(at: index)
            time.set(to: time.start + event.at)
            let process = event.process
            switch event.step {
            case .ask:
                switch processes[process].take(.live) {
                case .granted(let grant):
                    open += 1
                    most = max(most, open)
                    event.step = numbers.next(below: 20) == 0 ? .end(grant) : .arrive(grant)
                    event.at += delay()
                case .wait(let until, let maySooner):
                    let turn = until - time.start
                    event.at = maySooner ? min(turn, event.at + .milliseconds(20)) : turn
                }
            case .arrive(let grant):
                // As a permit looks before it sends.
                let slots = [grant.place, grant.turn].compactMap(\.self)
                if slots.allSatisfy({ time.clock.instant() < $0.leaseEnd }) {
                    arrivals.append(event.at)
                    event.step = .answer(grant)
                } else {
                    event.step = .end(grant)
                }
                event.at += delay()
            case .answer(var grant):
                if let turn = grant.turn { processes[process].giveBack(turn: turn) }
                grant.turn = nil
                event.step = .end(grant)
                event.at += delay()
            case .end(let grant):
                open -= 1
                processes[process].giveBack(grant)
                event.step = .ask
            }
            events.append(event)
            let own = events.indices.filter { events[$0].process == process }
            if numbers.next(below: 100) == 0 {
                // It dies: the kernel closes its files, and it is started again.
                processes[process] = limits(concurrency, rate)
                for index in own {
                    if case .ask = events[index].step {} else { open -= 1 }
                    (events[index].step, events[index].at) = (.ask, event.at)
                }
            } else if mayStop, numbers.next(below: 300) == 0 {
                let stop = Duration.seconds(numbers.next(below: 30))
                for index in own { events[index].at += stop }
            }
        }
        arrivals.sort()
        for (early, late) in zip(arrivals, arrivals.dropFirst(rate)) {
            #expect(late - early >= .seconds(1), "over \(rate) in the second from \(early)")
        }
        if !mayStop { #expect(most <= concurrency, "\(most) at once") }
        #expect(arrivals.count >= min(8, rate), "\(arrivals.count)")
    }
}
