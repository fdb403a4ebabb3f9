/// Tells a stalled transfer by its bytes over a sliding window.
///
/// libcurl's own low-speed limit looks at an average over the last five seconds, so that it sees
/// a stall after a fast start five seconds too late.
struct StallDetector: Sendable {
    private struct Sample {
        let time: ContinuousClock.Instant
        let bytes: Int
    }

    private let window: Duration
    private let leastBytes: Int
    private var samples: [Sample]

    /// A transfer that begins at `now` and must bring `leastBytes` within every `window`.
    init(from now: ContinuousClock.Instant, window: Duration, leastBytes: Int) {
        self.window = window
        self.leastBytes = leastBytes
        samples = [Sample(time: now, bytes: 0)]
    }

    /// Whether too little came in the window that ends `now`, when `bytes` have come in all.
    mutating func isStalled(now: ContinuousClock.Instant, bytes: Int) -> Bool {
        // The sample kept first is the newest one that is at least a window old.
        while samples.count > 1, now - samples[1].time >= window { samples.removeFirst() }
        if now - samples[0].time >= window, bytes - samples[0].bytes < leastBytes { return true }
        // Ten samples a window are enough, and bound the memory.
        if let last = samples.last, now - last.time >= window / 10 {
            samples.append(Sample(time: now, bytes: bytes))
        }
        return false
    }
}
