/// The jobs of a pool that wait, and the one rule by which its threads choose the next.
///
/// Each ``JobClass`` has a queue of its own, first in, first out, and bounded. Of the classes that
/// may run another job (``JobClass/mostRunning(of:)``), those of the earliest rank go first, and of
/// these the one that has had the least time: so classes of one rank share the threads alike while
/// all have jobs, however long a job of each takes. A class that had none for a while gets no credit
/// for it (start-time fair queueing: Goyal, Vin and Cheng, SIGCOMM 1996, with equal weights).
package struct JobQueue<Job> {
    /// Jobs of a class.
    package struct Load: Equatable, Sendable {
        package var waiting = 0
        package var running = 0
        /// Since the start.
        package var refused = 0
    }

    private struct Line {
        var jobs: [Job] = []
        var running = 0
        var refused = 0
        /// Time that its jobs took, or would have taken.
        var used = Duration.zero

        var isActive: Bool { running > 0 || !jobs.isEmpty }
    }

    private let threads: Int
    private let capacity: Int
    private var lines = [Line](repeating: Line(), count: JobClass.allCases.count)

    /// For so many threads; `capacity`: how many jobs of a class may wait, or less.
    init(threads: Int, capacity: Int) {
        self.threads = threads
        self.capacity = capacity
    }

    /// Adds a job at the end of its class's queue. `false`, and counted, when that is full.
    mutating func add(_ job: Job, _ jobClass: JobClass) -> Bool {
        let index = jobClass.rawValue
        guard lines[index].jobs.count < jobClass.mostWaiting(of: capacity) else {
            lines[index].refused += 1
            return false
        }
        if !lines[index].isActive, let least = leastUsed(jobClass.rank) {
            lines[index].used = max(lines[index].used, least)
        }
        lines[index].jobs.append(job)
        return true
    }

    /// Takes the job that goes next, which runs from now on; `nil` when there is none that may.
    mutating func next() -> (job: Job, jobClass: JobClass)? {
        for rank in JobClass.Rank.allCases where running(rank) < rank.mostRunning(of: threads) {
            var chosen: JobClass?
            for candidate in JobClass.allCases where candidate.rank == rank && mayRun(candidate) {
                if let best = chosen, lines[best.rawValue].used <= lines[candidate.rawValue].used {
                    continue
                }
                chosen = candidate
            }
            guard let chosen else { continue }
            lines[chosen.rawValue].running += 1
            return (lines[chosen.rawValue].jobs.removeFirst(), chosen)
        }
        return nil
    }

    /// Notes that a job of a class has ended, and what it took.
    mutating func finish(_ jobClass: JobClass, took time: Duration) {
        lines[jobClass.rawValue].running -= 1
        lines[jobClass.rawValue].used += max(.zero, time)
    }

    /// The jobs of a class.
    package func load(of jobClass: JobClass) -> Load {
        let line = lines[jobClass.rawValue]
        return Load(waiting: line.jobs.count, running: line.running, refused: line.refused)
    }

    /// How many jobs wait, and how many run, of all classes.
    var load: (waiting: Int, running: Int) {
        lines.reduce((0, 0)) { ($0.0 + $1.jobs.count, $0.1 + $1.running) }
    }

    private func mayRun(_ jobClass: JobClass) -> Bool {
        let line = lines[jobClass.rawValue]
        return !line.jobs.isEmpty && line.running < jobClass.mostRunning(of: threads)
    }

    private func running(_ rank: JobClass.Rank) -> Int {
        JobClass.allCases.reduce(0) { $1.rank == rank ? $0 + lines[$1.rawValue].running : $0 }
    }

    private func leastUsed(_ rank: JobClass.Rank) -> Duration? {
        JobClass.allCases.filter { $0.rank == rank && lines[$0.rawValue].isActive }
            .map { lines[$0.rawValue].used }.min()
    }
}
