import Testing

@testable import PosterBase
@testable import PosterKit

/// The one rule by which a pool's threads choose their next job.
@Suite struct JobQueueTests {
    /// A job that knows which it is.
    private struct Job: Equatable {
        let number: Int
        let jobClass: JobClass
    }

    /// The rule once more, as slowly and plainly as it can be said: all jobs in one list.
    private struct Model {
        let threads: Int
        let capacity: Int
        var waiting: [Job] = []
        var running: [JobClass] = []
        var used: [JobClass: Int] = [:]
        var refused: [JobClass: Int] = [:]

        func count(_ jobClass: JobClass) -> Int { waiting.count { $0.jobClass == jobClass } }

        func isActive(_ jobClass: JobClass) -> Bool {
            running.contains(jobClass) || count(jobClass) > 0
        }

        mutating func add(_ job: Job) -> Bool {
            guard count(job.jobClass) < job.jobClass.mostWaiting(of: capacity) else {
                refused[job.jobClass, default: 0] += 1
                return false
            }
            let peers = JobClass.allCases.filter {
                $0.rank == job.jobClass.rank && isActive($0)
            }
            if !isActive(job.jobClass), let least = peers.map({ used[$0] ?? 0 }).min() {
                used[job.jobClass] = max(used[job.jobClass] ?? 0, least)
            }
            waiting.append(job)
            return true
        }

        mutating func next() -> Job? {
            let first = waiting.indices
                .filter { index in
                    let jobClass = waiting[index].jobClass
                    let peers = running.count { $0.rank == jobClass.rank }
                    return running.count { $0 == jobClass } < jobClass.mostRunning(of: threads)
                        && peers < jobClass.rank.mostRunning(of: threads)
                }
                .min { left, right in
                    key(of: left).lexicographicallyPrecedes(key(of: right))
                }
            guard let first else { return nil }
            running.append(waiting[first].jobClass)
            return waiting.remove(at: first)
        }

        private func key(of index: Int) -> [Int] {
            let jobClass = waiting[index].jobClass
            let ranks: [JobClass.Rank] = [.known, .unbounded, .background]
            return [
                ranks.firstIndex(of: jobClass.rank) ?? 0, used[jobClass] ?? 0, jobClass.rawValue,
                index,
            ]
        }

        mutating func finish(_ jobClass: JobClass, took time: Int) {
            guard let index = running.firstIndex(of: jobClass) else { return }
            running.remove(at: index)
            used[jobClass, default: 0] += time
        }
    }

    @Test(arguments: 0..<60)
    func `chooses as the plain model does, whatever comes and goes`(round: Int) {
        var random = SystemRandomNumberGenerator()
        let threads = Int.random(in: 1...8, using: &random)
        let capacity = Int.random(in: 1...100, using: &random)
        var queue = JobQueue<Job>(threads: threads, capacity: capacity)
        var model = Model(threads: threads, capacity: capacity)
        for number in 0..<600 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                let job = Job(
                    number: number, jobClass: JobClass.allCases.randomElement(using: &random)!)
                let (isAdded, isExpected) = (queue.add(job, job.jobClass), model.add(job))
                #expect(isAdded == isExpected)
            case 2...3 where model.running.count < threads:
                let (chosen, expected) = (queue.next(), model.next())
                #expect(chosen?.job == expected && chosen?.jobClass == expected?.jobClass)
                // No thread is idle while known work waits, and none takes more than its share.
                #expect(chosen != nil || model.count(.live) == 0 && model.count(.background) == 0)
                let unbounded = model.running.count { $0.rank == .unbounded }
                #expect(unbounded <= max(1, threads - 1))
            default:
                guard let ended = model.running.randomElement(using: &random) else { continue }
                let time = Int.random(in: 0...50, using: &random)
                queue.finish(ended, took: .milliseconds(time))
                model.finish(ended, took: time)
            }
            for jobClass in JobClass.allCases {
                #expect(
                    queue.load(of: jobClass)
                        == .init(
                            waiting: model.count(jobClass),
                            running: model.running.count { $0 == jobClass },
                            refused: model.refused[jobClass] ?? 0))
            }
        }
    }

    @Test(arguments: 2...8)
    func `what strangers ask for leaves a thread, and half of them to each kind`(threads: Int) {
        var queue = JobQueue<Int>(threads: threads, capacity: 1024)
        for number in 0..<32 {
            for jobClass in [JobClass.newBox, .newName, .large] {
                fill(&queue, number, jobClass)
            }
        }
        var running: [JobClass: Int] = [:]
        while let next = queue.next() { running[next.jobClass, default: 0] += 1 }
        #expect(running.values.reduce(0, +) <= threads - 1)
        #expect(running.values.allSatisfy { $0 <= max(1, threads / 2) })
        // The thread that is left takes known work at once.
        fill(&queue, 1, .standIn)
        expectNext(&queue, .standIn)
    }

    @Test func `classes of one rank share the time alike, however long their jobs are`() {
        // One thread, so that exactly one job is under way.
        var queue = JobQueue<Int>(threads: 1, capacity: 1024)
        let lengths: [JobClass: Int] = [.newBox: 40, .newName: 3, .large: 700]
        var used: [JobClass: Int] = [:]
        for _ in 0..<4000 {
            for jobClass in lengths.keys { _ = queue.add(0, jobClass) }
            guard let next = queue.next(), let length = lengths[next.jobClass] else { return }
            queue.finish(next.jobClass, took: .milliseconds(length))
            used[next.jobClass, default: 0] += length
        }
        let (least, most) = (used.values.min() ?? 0, used.values.max() ?? 0)
        #expect(most - least <= 700, "\(used)")
    }

    @Test func `a class that had no jobs for long gets no credit for it`() {
        var queue = JobQueue<Int>(threads: 1, capacity: 1024)
        for _ in 0..<100 {
            fill(&queue, 0, .newName)
            expectNext(&queue, .newName)
            queue.finish(.newName, took: .seconds(1))
        }
        for _ in 0..<32 {
            fill(&queue, 0, .newName)
            fill(&queue, 0, .large)
        }
        var chosen: [JobClass: Int] = [:]
        for _ in 0..<20 {
            guard let next = queue.next() else { break }
            queue.finish(next.jobClass, took: .seconds(1))
            chosen[next.jobClass, default: 0] += 1
        }
        #expect(chosen == [.newName: 10, .large: 10])
    }

    private func fill(_ queue: inout JobQueue<Int>, _ number: Int, _ jobClass: JobClass) {
        let isAdded = queue.add(number, jobClass)
        #expect(isAdded)
    }

    private func expectNext(_ queue: inout JobQueue<Int>, _ jobClass: JobClass) {
        let next = queue.next()
        #expect(next?.jobClass == jobClass)
    }
}
