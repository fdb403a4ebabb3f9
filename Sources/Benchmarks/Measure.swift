import Glibc

/// CPU time of this process, all threads, in microseconds. CPU and not wall time, because
/// machines are shared.
func processMicroseconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
}

/// Runs rival bodies in turn, round after round, and gives each one's median CPU time a round in
/// microseconds. In turn, so that a busy spell of the machine meets them all alike.
func medianMicroseconds(rounds: Int, _ bodies: [() throws -> Void]) throws -> [Double] {
    var samples = [[Double]](repeating: [], count: bodies.count)
    for round in 0...rounds {
        for (index, body) in bodies.enumerated() {
            let start = processMicroseconds()
            try body()
            // The first round warms caches and scratch memory up.
            if round > 0 { samples[index].append(processMicroseconds() - start) }
        }
    }
    return samples.map { $0.sorted()[$0.count / 2] }
}
