/// Who waits for a job: live requests go before background work such as a prefetch.
package enum Priority: Int, Sendable, CaseIterable {
    /// A client waits.
    case live
    /// No client waits.
    case background
}

/// POSIX threads that run jobs, each thread with a worker of its own.
///
/// A worker owns what is dear to set up and cannot be shared (a codec's handle, a connection,
/// scratch memory); a job gets it `inout`, so no lock and no setup stands between a job and its
/// work. Which job goes next is the rule of ``JobQueue``, whose queues are bounded:
/// ``submit(_:_:)`` refuses instead of piling up.
///
/// A pool that is let go of ends its threads when the jobs that it has taken are done.
package final class WorkerPool<Worker: ~Copyable>: Sendable {
    package typealias Job = @Sendable (inout Worker) -> Void

    private struct State {
        var queue: JobQueue<Job>
        var stopping = false
    }

    private let state: Monitor<State>
    private let threads: [PosixThread]
    /// The most jobs of a class that may wait.
    package let capacity: Int

    /// Starts `threads` threads named `name` (15 bytes at most, as `/proc` shows them), each
    /// with the worker that `make` gives it. With `yields`, they run when others need no core.
    package init(
        name: String, threads count: Int, capacity: Int, yields: Bool = false,
        make: @escaping @Sendable () -> Worker
    ) {
        self.capacity = capacity
        let state = Monitor(State(queue: JobQueue(threads: count, capacity: capacity)))
        self.state = state
        threads = (0..<count).map { _ in
            PosixThread(name: name) {
                if yields { PosixThread.yieldToOthers() }
                Self.work(state, count, make)
            }
        }
    }

    deinit { end() }

    /// Queues a job. `false` when the queue of its class is full or the pool stopped: the job will
    /// not run.
    package func submit(_ jobClass: JobClass, _ job: @escaping Job) -> Bool {
        let isAccepted = state.withLock { state in
            !state.stopping && state.queue.add(job, jobClass)
        }
        if isAccepted { state.notifyAll() }
        return isAccepted
    }

    /// Runs a job and waits for its result; `nil` when the queue is full. Blocks.
    package func run<Result: Sendable>(
        _ jobClass: JobClass, _ job: @escaping @Sendable (inout Worker) -> Result
    ) -> Result? {
        let slot = Monitor<Result?>(nil)
        let isAccepted = submit(jobClass) { worker in
            let result = job(&worker)
            slot.withLock { $0 = result }
            slot.notifyAll()
        }
        return isAccepted ? slot.wait { $0 } : nil
    }

    /// How many jobs wait, and how many run.
    package var load: (waiting: Int, running: Int) { state.withLock { $0.queue.load } }

    /// The jobs of a class.
    package func load(of jobClass: JobClass) -> JobQueue<Job>.Load {
        state.withLock { $0.queue.load(of: jobClass) }
    }

    /// Lets the queued jobs finish, then ends every thread and waits until they have ended. Blocks.
    /// A worker's own thread is not waited for.
    package func stop() {
        end()
        for thread in threads { thread.join() }
    }

    private func end() {
        state.withLock { $0.stopping = true }
        state.notifyAll()
    }

    private static func work(
        _ state: Monitor<State>, _ threads: Int, _ make: @Sendable () -> Worker
    ) {
        var worker = make()
        while let (job, jobClass) = state.wait(for: { next(in: &$0) }) ?? nil {
            let began = ContinuousClock.now
            job(&worker)
            let time = began.duration(to: .now)
            let isOtherToLook = state.withLock { state in
                state.queue.finish(jobClass, took: time)
                let load = state.queue.load
                // This thread takes one job now; another may run that had to wait for this end.
                return state.stopping || load.waiting > 1 && load.running < threads - 1
            }
            if isOtherToLook { state.notifyAll() }
        }
    }

    /// `nil`: wait. `.some(nil)`: no more will come.
    private static func next(in state: inout State) -> (job: Job, jobClass: JobClass)?? {
        if let next = state.queue.next() { return next }
        return state.stopping && state.queue.load.waiting == 0 ? .some(nil) : nil
    }
}
