import Glibc

/// CPU time of this process, all threads, in microseconds. CPU and not wall time, because
/// machines are shared.
func processMicroseconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
}

/// Runs rival bodies in turn, round after round, and gives each one's median wall and CPU time a
/// round in microseconds. In turn, so that a busy spell of the machine meets them all alike.
func medianTimes(
    rounds: Int, _ bodies: [() throws -> Void]
) throws -> [(wall: Double, cpu: Double)] {
    var samples = [[(wall: Double, cpu: Double)]](repeating: [], count: bodies.count)
    for round in 0...rounds {
        for (index, body) in bodies.enumerated() {
            let (began, start) = (ContinuousClock.now, processMicroseconds())
            try body()
            let cpu = processMicroseconds() - start
            let wall = began.duration(to: .now) / .microseconds(1)
            // The first round warms caches and scratch memory up.
            if round > 0 { samples[index].append((wall, cpu)) }
        }
    }
    return samples.map { samples in
        let middle = samples.count / 2
        return (samples.map(\.wall).sorted()[middle], samples.map(\.cpu).sorted()[middle])
    }
}

/// The CPU times of ``medianTimes(rounds:_:)``.
func medianMicroseconds(rounds: Int, _ bodies: [() throws -> Void]) throws -> [Double] {
    try medianTimes(rounds: rounds, bodies).map(\.cpu)
}
