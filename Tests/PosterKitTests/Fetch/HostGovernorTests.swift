import Testing

@testable import PosterBase
@testable import PosterFetch
@testable import PosterKit

@Suite struct HostGovernorTests {
    @Test func `while the host wants silence nobody has leave`() {
        let governor = HostGovernor(perSecond: 0)
        governor.pause(60)
        let error = #expect(throws: FetchError.self) { try governor.admit() }
        #expect(error?.reason == .backingOff)
        #expect(error?.retryAfterSeconds == 60)
    }

    @Test func `when it is over one may try, and its answer opens the host for all`() throws {
        let governor = HostGovernor(perSecond: 0)
        governor.pause(0)
        let permit = try governor.admit()
        #expect(permit.isProbe)
        #expect(throws: FetchError.self) { try governor.admit() }
        governor.settle(permit, .answered)
        #expect(try !governor.admit().isProbe)
    }

    @Test func `a turn that would come after the deadline is refused at once`() throws {
        let governor = HostGovernor(perSecond: 1)
        try governor.send()
        let error = #expect(throws: FetchError.self) {
            try governor.admit(.live, by: .now + .milliseconds(100))
        }
        #expect(error?.reason == .deadline)
    }

    @Test func `a pause that begins ends the wait for the rate`() throws {
        let governor = HostGovernor(perSecond: 1)
        try governor.send()
        let waiter = WorkerPool<Int>(name: "waiter", threads: 1, capacity: 1) { 0 }
        let refused = Monitor<FetchError?>(nil)
        _ = waiter.submit(.live) { _ in
            do throws(FetchError) { _ = try governor.admit() } catch {
                refused.withLock { $0 = error }
            }
            refused.notifyAll()
        }
        governor.pause(60)
        #expect(refused.wait { $0 }.reason == .backingOff)
        waiter.stop()
    }

    @Test func `leave that was not used costs no turn, and each request that was sent does`() throws
    {
        let governor = HostGovernor(perSecond: 2)
        for _ in 0..<5 { governor.settle(try governor.admit(), .unused) }
        // A redirect: one permit, two requests.
        let permit = try governor.admit()
        for _ in 0..<2 {
            try permit.prepare(by: .now)
            #expect(permit.noteSending(by: .now))
            permit.noteArrival()
        }
        #expect(throws: FetchError.self) { try permit.prepare(by: .now) }
        #expect(throws: FetchError.self) { try governor.admit(.live, by: .now) }
    }

    @Test func `a request that libcurl sends again takes another turn`() throws {
        let governor = HostGovernor(perSecond: 2)
        let permit = try governor.admit()
        #expect(permit.noteSending(by: .now))
        #expect(permit.noteSending(by: .now))
        #expect(!permit.noteSending(by: .now))
    }

    @Test func `a request whose place may be another's by now is not sent`() throws {
        let time = TestTime()
        let limits = HostLimits(
            concurrency: 1, perSecond: 0, timeout: .seconds(15), clock: time.clock)
        let governor = HostGovernor("", limits, clock: time.clock)
        let permit = try governor.admit()
        time.advance(by: .milliseconds(15_500))
        #expect(!permit.noteSending(by: .now))
    }

    @Test("a store that closes ends every wait", arguments: [0, 1])
    func closes(perSecond: Int) throws {
        let limits = HostLimits(
            concurrency: 1, perSecond: perSecond, timeout: .seconds(3600))
        let governor = HostGovernor("", limits)
        let permit = try governor.admit()
        let waiter = WorkerPool<Int>(name: "waiter", threads: 1, capacity: 1) { 0 }
        let refused = Monitor<FetchError?>(nil)
        _ = waiter.submit(.live) { _ in
            do throws(FetchError) { _ = try governor.admit() } catch {
                refused.withLock { $0 = error }
            }
            refused.notifyAll()
        }
        governor.close()
        #expect(refused.wait { $0 }.reason == .closed)
        waiter.stop()
        governor.settle(permit, .unused)
    }

    @Test func `live requests have the next turn before background ones`() throws {
        let governor = HostGovernor(perSecond: 4)
        for _ in 0..<4 { try governor.send() }
        let order = Monitor<[Priority]>([])
        let pool = WorkerPool<Int>(name: "askers", threads: 8, capacity: 8) { 0 }
        let background = Array(repeating: Priority.background, count: 4)
        for priority in background + Array(repeating: .live, count: 4) {
            _ = pool.submit(JobClass(priority)) { _ in
                do throws(FetchError) { try governor.send(priority) } catch { return }
                order.withLock { $0.append(priority) }
            }
        }
        pool.stop()
        #expect(order.withLock { $0 }.prefix(4) == [.live, .live, .live, .live])
    }
}

extension HostGovernor {
    /// As a request that is answered at once.
    fileprivate func send(_ priority: Priority = .live) throws(FetchError) {
        let permit = try admit(priority)
        _ = permit.noteSending(by: .now)
        settle(permit, .answered)
    }

    fileprivate func pause(_ seconds: Int) {
        let error = FetchError(.rateLimited, "status 429", retryAfterSeconds: seconds)
        let permit = Permit(HostLimits.Grant(), of: self, .live, isProbe: false)
        settle(permit, .failed(error, url: ""))
    }
}
