/// Keeps the manners towards one upstream host, for all who fetch from it: so many at once, so
/// many a second, and silence while it asked for silence.
final class HostGovernor: Sendable {
    /// `perSecond` 0: no limit.
    init(perSecond: Int) { fatalError("unbuilt") }

    /// Waits for leave to send one request. Blocks for the rate at most; throws `.backingOff`
    /// while the host's pause lasts and `.deadline` when the rate's turn would come too late.
    func admit(by deadline: ContinuousClock.Instant?) throws(FetchError) { fatalError("unbuilt") }

    /// Silence for so long: what a `Retry-After` asked for, an hour at most.
    func backOff(for pause: Duration) { fatalError("unbuilt") }

    /// What is left of the pause; `nil` when there is none.
    var pauseLeft: Duration? { fatalError("unbuilt") }
}
