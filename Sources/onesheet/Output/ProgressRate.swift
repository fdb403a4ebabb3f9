/// How fast something has gone of late: the last ten seconds, so that a start that found
/// everything in the cache, or a pause, does not spoil the estimate for long.
struct ProgressRate {
    private struct Sample {
        let moment: ContinuousClock.Instant
        let done: Int
        let bytes: Int
    }

    private var samples: [Sample] = []

    private static let window = Duration.seconds(10)
    /// Denser samples would tell nothing more.
    private static let spacing = Duration.milliseconds(200)
    /// Over less time than this, a rate is noise.
    private static let shortest = Duration.milliseconds(400)

    /// Notes what is done by now.
    mutating func note(done: Int, bytes: Int, at moment: ContinuousClock.Instant) {
        if let last = samples.last, samples.count > 1, moment - last.moment < Self.spacing {
            return
        }
        samples.append(Sample(moment: moment, done: done, bytes: bytes))
        while samples.count > 2, moment - samples[1].moment > Self.window { samples.removeFirst() }
    }

    /// Items and bytes a second; `nil` when it is too early to say.
    var perSecond: (items: Double, bytes: Double)? {
        guard let first = samples.first, let last = samples.last else { return nil }
        let time = last.moment - first.moment
        guard time >= Self.shortest else { return nil }
        return (
            Double(last.done - first.done) / time.inSeconds,
            Double(last.bytes - first.bytes) / time.inSeconds
        )
    }
}
