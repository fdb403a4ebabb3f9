@testable import PosterKit
import Testing

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
        let leave = try governor.admit()
        guard case .probe = leave else { return #expect(Bool(false), "\(leave)") }
        #expect(throws: FetchError.self) { try governor.admit() }
        governor.settle(leave, .answered)
        guard case .ordinary = try governor.admit() else { return #expect(Bool(false)) }
    }

    @Test func `a turn that would come after the deadline is refused at once`() throws {
        let governor = HostGovernor(perSecond: 1)
        _ = try governor.admit()
        let error = #expect(throws: FetchError.self) {
            try governor.admit(.live, by: .now + .milliseconds(100))
        }
        #expect(error?.reason == .deadline)
    }

    @Test func `a pause that begins ends the wait for the rate`() throws {
        let governor = HostGovernor(perSecond: 1)
        _ = try governor.admit()
        let waiter = WorkerPool<Int>(name: "waiter", threads: 1, capacity: 1) { 0 }
        let refused = Monitor<FetchError?>(nil)
        _ = waiter.submit(.live) { _ in
            do throws(FetchError) { _ = try governor.admit() } catch {
                refused.withLock { $0 = error }
            }
            refused.signal()
        }
        governor.pause(60)
        #expect(refused.wait { $0 }.reason == .backingOff)
        waiter.stop()
    }

    @Test func `live requests have the next turn before background ones`() throws {
        let governor = HostGovernor(perSecond: 4)
        for _ in 0..<4 { _ = try governor.admit() }
        let order = Monitor<[Priority]>([])
        let pool = WorkerPool<Int>(name: "askers", threads: 8, capacity: 8) { 0 }
        let background = Array(repeating: Priority.background, count: 4)
        for priority in background + Array(repeating: .live, count: 4) {
            _ = pool.submit(priority) { _ in
                do throws(FetchError) { _ = try governor.admit(priority) } catch { return }
                order.withLock { $0.append(priority) }
            }
        }
        pool.stop()
        #expect(order.withLock { $0 }.prefix(4) == [.live, .live, .live, .live])
    }
}

extension HostGovernor {
    fileprivate func pause(_ seconds: Int) {
        let error = FetchError(.rateLimited, "status 429", retryAfterSeconds: seconds)
        settle(.ordinary, .failed(error, url: ""))
    }
}
