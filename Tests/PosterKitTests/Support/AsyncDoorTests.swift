import Glibc
import Testing

@testable import PosterBase
@testable import PosterKit

/// Where async callers meet the blocking kit.
@Suite struct AsyncDoorTests {
    @Test @MainActor func `what is asked runs on another thread, and its reply comes back`()
        async throws
    {
        let door = AsyncDoor()
        let caller = UInt(pthread_self())
        let thread: UInt = try await door.reply { reply in reply(UInt(pthread_self())) }
        #expect(thread != caller)
        door.close()
        let after: Int = try await door.reply { reply in reply(7) }
        #expect(after == 7, "a closed door answers, too")
    }

    @Test func `a cancelled task comes back at once, and what it started goes on`() async {
        let door = AsyncDoor()
        let (gate, started, replied) = (Gate(), Monitor(false), Monitor(false))
        let task = Task {
            try await door.reply { (reply: @escaping @Sendable (Int) -> Void) in
                started.withLock { $0 = true }
                gate.pass()
                replied.withLock { $0 = true }
                replied.notifyAll()
                reply(1)
            }
        }
        // Not blocking: the tests' own threads are few, and the task needs one.
        while !started.withLock({ $0 }) { await Task.yield() }
        task.cancel()
        // The job stands at its gate: only the cancellation can end this wait.
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(!replied.withLock { $0 })
        gate.open()
        while !replied.withLock({ $0 }) { await Task.yield() }
        door.close()
    }

    @Test func `a task that is cancelled already starts nothing`() async {
        let door = AsyncDoor()
        let started = Monitor(false)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await door.reply { (reply: @escaping @Sendable (Int) -> Void) in
                started.withLock { $0 = true }
                reply(1)
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        door.close()
        #expect(!started.withLock { $0 })
    }

    @Test func `a reply and a cancellation at the same moment give one of both`() async {
        let door = AsyncDoor()
        for _ in 0..<200 {
            let task = Task {
                try await door.reply { (reply: @escaping @Sendable (Int) -> Void) in reply(5) }
            }
            task.cancel()
            switch await task.result {
            case .success(let value): #expect(value == 5)
            case .failure(let error): #expect(error is CancellationError)
            }
        }
        door.close()
    }
}
