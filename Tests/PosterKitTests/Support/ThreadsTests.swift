import Testing

@testable import PosterBase
@testable import PosterKit

@Suite struct WorkerPoolTests {
    @Test func `a job gets its thread's own worker, made once a thread`() {
        let made = Monitor(0)
        let pool = WorkerPool(name: "test", threads: 2, capacity: 100) {
            made.withLock { $0 += 1 }
            return [Int]()
        }
        let lengths = (1...50).compactMap { number in
            pool.run(.live) { worker in
                worker.append(number)
                return worker.count
            }
        }
        pool.stop()
        #expect(made.withLock { $0 } == 2)
        #expect(lengths.count == 50)
        // Each worker counted its own jobs: together they come to all of them.
        #expect(lengths.max().map { $0 <= 50 && $0 >= 25 } == true)
    }

    @Test func `live jobs go before background jobs that came earlier`() {
        let pool = WorkerPool(name: "test", threads: 1, capacity: 10) { 0 }
        let gate = Gate()
        let order = Monitor<[String]>([])
        #expect(pool.submit(.background) { _ in gate.pass() })
        gate.waitUntilReached()
        for name in ["b1", "b2"] {
            #expect(pool.submit(.background) { _ in order.withLock { $0.append(name) } })
        }
        #expect(pool.submit(.live) { _ in order.withLock { $0.append("live") } })
        gate.open()
        pool.stop()
        #expect(order.withLock { $0 } == ["live", "b1", "b2"])
    }

    @Test func `small drawings do not wait for large work, though it came first`() {
        let pool = WorkerPool(name: "test", threads: 2, capacity: 1024) { 0 }
        let gate = Gate()
        for jobClass in [JobClass.large, .newBox, .newName, .large] {
            #expect(pool.submit(jobClass) { _ in gate.pass() })
        }
        gate.waitUntilReached()
        // All of the large work stands at the gate, or behind what does.
        for _ in 0..<20 { #expect(pool.run(.standIn) { _ in 1 } == 1) }
        #expect(pool.load.waiting == 3)
        gate.open()
        pool.stop()
        #expect(pool.load == (0, 0))
    }

    @Test func `every job of a stopped pool runs, in whichever class it waits`() {
        let pool = WorkerPool(name: "test", threads: 3, capacity: 1024) { 0 }
        let (gate, done) = (Gate(), Monitor(0))
        for _ in 0..<8 {
            for jobClass in JobClass.allCases {
                #expect(
                    pool.submit(jobClass) { _ in
                        gate.pass()
                        done.withLock { $0 += 1 }
                    })
            }
        }
        gate.open()
        pool.stop()
        #expect(done.withLock { $0 } == 8 * JobClass.allCases.count)
    }

    @Test func `a pool may be stopped and let go of by its own job`() {
        let (holder, isOver) = (Monitor<WorkerPool<Int>?>(nil), Monitor(false))
        holder.withLock { $0 = WorkerPool(name: "test", threads: 2, capacity: 8) { 0 } }
        let pool = holder.withLock { $0 }
        _ = pool?.submit(.live) { [holder] _ in
            let last = holder.withLock { holder in
                defer { holder = nil }
                return holder
            }
            last?.stop()
            isOver.withLock { $0 = true }
            isOver.notifyAll()
        }
        isOver.wait { $0 ? () : nil }
    }

    @Test func `a full queue refuses at once, for its own class only`() {
        let pool = WorkerPool(name: "test", threads: 1, capacity: 2) { 0 }
        let gate = Gate()
        #expect(pool.submit(.live) { _ in gate.pass() })
        gate.waitUntilReached()
        #expect(pool.submit(.live) { _ in })
        #expect(pool.submit(.live) { _ in })
        #expect(!pool.submit(.live) { _ in })
        #expect(pool.run(.live) { _ in 7 } == nil)
        #expect(pool.submit(.background) { _ in })
        gate.open()
        pool.stop()
        #expect(!pool.submit(.live) { _ in }, "a stopped pool takes nothing")
    }
}

@Suite struct SingleFlightTests {
    @Test func `the first starts the job and all get its result`() {
        let flights = SingleFlight<String, Int>()
        let results = Monitor<[Int]>([])
        let firsts = Monitor<[Bool]>([])
        let complete = { @Sendable (result: Int, isFirst: Bool) in
            results.withLock { $0.append(result) }
            firsts.withLock { $0.append(isFirst) }
        }
        #expect(flights.join("a", complete).isFirst)
        #expect(!flights.join("a", complete).isFirst)
        #expect(flights.join("b", complete).isFirst)
        flights.complete("a", 7)
        #expect(results.withLock { $0 } == [7, 7])
        #expect(firsts.withLock { $0 } == [true, false])
        #expect(flights.count == 1)
        #expect(flights.join("a", complete).isFirst, "what is complete starts anew")
    }

    @Test func `who leaves is not told, and the others are`() {
        let flights = SingleFlight<String, Int>()
        let results = Monitor<[String]>([])
        let first = flights.join("a") { _, _ in results.withLock { $0.append("first") } }
        _ = flights.join("a") { _, _ in results.withLock { $0.append("second") } }
        #expect(flights.leave("a", waiter: first.waiter) != nil)
        flights.complete("a", 7)
        #expect(results.withLock { $0 } == ["second"])
        #expect(flights.leave("a", waiter: first.waiter) == nil)
    }

    @Test func `the job goes on when its last waiter has left`() {
        let flights = SingleFlight<String, Int>()
        let only = flights.join("a") { _, _ in }
        #expect(flights.leave("a", waiter: only.waiter) != nil)
        #expect(!flights.join("a") { _, _ in }.isFirst)
    }
}

@Suite struct DeadlineTimerTests {
    @Test func `alarms ring in the order of their deadlines, not of their setting`() {
        let timer = DeadlineTimer()
        defer { timer.stop() }
        let rung = Monitor<[Int]>([])
        let start = ContinuousClock.now
        for (number, delay) in [(3, 30), (1, 10), (2, 20)] {
            timer.schedule(at: start + .milliseconds(delay)) {
                rung.withLock { $0.append(number) }
                rung.notifyAll()
            }
        }
        let order = rung.wait(until: start + .seconds(60)) { $0.count == 3 ? $0 : nil }
        #expect(order == [1, 2, 3])
        #expect(ContinuousClock.now >= start + .milliseconds(30))
    }

    @Test func `alarms set in any order ring in the order of their deadlines`() {
        let timer = DeadlineTimer()
        defer { timer.stop() }
        let (gate, rung) = (Gate(), Monitor<[Int]>([]))
        let past = ContinuousClock.now - .seconds(3600)
        // While this one rings, the others are set.
        timer.schedule(at: past) { gate.pass() }
        gate.waitUntilReached()
        let times = (0..<500).map { _ in Int.random(in: 0..<100) }
        for (number, time) in times.enumerated() {
            timer.schedule(at: past + .seconds(time)) {
                rung.withLock { $0.append(number) }
                rung.notifyAll()
            }
        }
        gate.open()
        let order = rung.wait { $0.count == times.count ? $0 : nil }
        // Those of one time in the order of their setting.
        #expect(order == times.indices.sorted { (times[$0], $0) < (times[$1], $1) })
    }

    @Test func `a timer may be stopped by its own alarm`() {
        let timer = DeadlineTimer()
        let isOver = Monitor(false)
        timer.schedule(at: .now) {
            timer.stop()
            isOver.withLock { $0 = true }
            isOver.notifyAll()
        }
        isOver.wait { $0 ? () : nil }
    }

    @Test func `a stopped timer rings no more`() {
        let timer = DeadlineTimer()
        let rung = Monitor(false)
        timer.schedule(at: .now + .seconds(3600)) { rung.withLock { $0 = true } }
        timer.stop()
        #expect(!rung.withLock { $0 })
    }
}
