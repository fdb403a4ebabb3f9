import Glibc

/// Runs `body` and traps when it takes more than the second of CPU that any picture may cost.
/// CPU and not the fuzzer's own time-out, which counts what other programs take, too.
func withinBudget(_ body: () -> Void) {
    let start = threadSeconds()
    body()
    let seconds = threadSeconds() - start
    guard seconds <= 1 else { fatalError("over budget: \(seconds) s of CPU") }
}

private func threadSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
