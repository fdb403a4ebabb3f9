/// Who waits for a job: live requests go before background work such as a prefetch.
public enum Priority: Int, Sendable, CaseIterable {
    /// Somebody looks at a page.
    case live
    /// Nobody waits.
    case background
}

/// POSIX threads that run jobs, each thread with a worker of its own.
///
/// A worker owns what is dear to set up and cannot be shared (a codec's handle, a connection,
/// scratch memory); a job gets it `inout`, so no lock and no setup stands between a job and its
/// work. The queue is bounded: ``submit(_:_:)`` refuses instead of piling up.
package final class WorkerPool<Worker: ~Copyable>: Sendable {
    package typealias Job = @Sendable (inout Worker) -> Void

    private struct Queue {
        var live: [Job] = []
        var background: [Job] = []
        var running = 0
        var stopping = false
    }

    private let queue = Monitor(Queue())
    private let threads: [PosixThread]
    /// The most jobs of each priority that may wait.
    let capacity: Int

    /// Starts `threads` threads named `name` (15 bytes at most, as `/proc` shows them), each
    /// with the worker that `make` gives it. With `yields`, they run when others need no core.
    package init(
        name: String, threads count: Int, capacity: Int, yields: Bool = false,
        make: @escaping @Sendable () -> Worker
    ) {
        self.capacity = capacity
        threads = (0..<count).map { [queue] _ in
            PosixThread(name: name) {
                if yields { PosixThread.yieldToOthers() }
                Self.work(queue, make)
            }
        }
    }

    /// Queues a job. `false` when the queue is full or the pool stopped: the job will not run.
    package func submit(_ priority: Priority, _ job: @escaping Job) -> Bool {
        let accepted = queue.withLock { queue in
            guard !queue.stopping else { return false }
            switch priority {
            case .live where queue.live.count < capacity: queue.live.append(job)
            case .background where queue.background.count < capacity: queue.background.append(job)
            default: return false
            }
            return true
        }
        if accepted { queue.signal() }
        return accepted
    }

    /// Runs a job and waits for its result; `nil` when the queue is full. Blocks.
    func run<Result: Sendable>(
        _ priority: Priority, _ job: @escaping @Sendable (inout Worker) -> Result
    ) -> Result? {
        let slot = Monitor<Result?>(nil)
        let accepted = submit(priority) { worker in
            let result = job(&worker)
            slot.withLock { $0 = result }
            slot.signal()
        }
        return accepted ? slot.wait { $0 } : nil
    }

    /// How many jobs wait, and how many run.
    package var load: (waiting: Int, running: Int) {
        queue.withLock { ($0.live.count + $0.background.count, $0.running) }
    }

    /// Lets the queued jobs finish, then ends and joins every thread. Blocks. Not from a worker.
    package func stop() {
        queue.withLock { $0.stopping = true }
        queue.signal()
        for thread in threads { thread.join() }
    }

    private static func work(_ queue: Monitor<Queue>, _ make: @Sendable () -> Worker) {
        var worker = make()
        while let job = queue.wait(for: { next(in: &$0) }) ?? nil {
            job(&worker)
            queue.withLock { $0.running -= 1 }
        }
    }

    /// `nil`: wait. `.some(nil)`: no more will come.
    private static func next(in queue: inout Queue) -> Job?? {
        let job: Job
        if !queue.live.isEmpty {
            job = queue.live.removeFirst()
        } else if !queue.background.isEmpty {
            job = queue.background.removeFirst()
        } else {
            return queue.stopping ? .some(nil) : nil
        }
        queue.running += 1
        return job
    }
}
