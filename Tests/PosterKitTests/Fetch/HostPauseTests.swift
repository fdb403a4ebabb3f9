import Testing

@testable import PosterFetch
@testable import PosterKit

@Suite struct HostPauseTests {
    private let start = ContinuousClock.now
    private let cause = HostPause.Cause(text: "", isAsked: true)

    @Test func `while it lasts nothing goes, and then one probe`() {
        var pause = HostPause()
        #expect(pause.judge(now: start) == .go)
        _ = pause.begin(.seconds(7), because: cause, now: start)
        #expect(pause.left(now: start + .seconds(3)) == .seconds(4))
        #expect(pause.judge(now: start + .seconds(3)) == .wait(.seconds(4)))
        #expect(pause.judge(now: start + .seconds(7)) == .probe)
        #expect(pause.judge(now: start + .seconds(7)) == .wait(.seconds(1)))
        let isBack = pause.noteAnswer()
        #expect(isBack)
        #expect(pause.judge(now: start + .seconds(7)) == .go)
    }

    @Test func `after a probe without an answer the next one is a probe again`() {
        var pause = HostPause()
        _ = pause.begin(.seconds(1), because: cause, now: start)
        #expect(pause.judge(now: start + .seconds(1)) == .probe)
        pause.probeFailed(now: start + .seconds(2))
        #expect(pause.judge(now: start + .seconds(2)) == .probe)
        #expect(pause.judge(now: start + .seconds(2)) == .wait(.seconds(1)))
    }

    @Test func `a probe that never tells its end does not close the host for ever`() {
        var pause = HostPause()
        _ = pause.begin(.seconds(1), because: cause, now: start)
        #expect(pause.judge(now: start + .seconds(1)) == .probe)
        #expect(pause.judge(now: start + .seconds(31)) == .probe)
    }

    @Test func `a shorter pause does not shorten a longer one, and none is over an hour`() {
        var pause = HostPause()
        _ = pause.begin(.seconds(100_000), because: cause, now: start)
        _ = pause.begin(.seconds(1), because: cause, now: start)
        #expect(pause.left(now: start) == .seconds(3600))
    }

    @Test func `a probe's success after a new pause does not end that one`() {
        var pause = HostPause()
        _ = pause.begin(.seconds(1), because: cause, now: start)
        #expect(pause.judge(now: start + .seconds(1)) == .probe)
        _ = pause.begin(.seconds(60), because: cause, now: start + .seconds(2))
        let isBack = pause.noteAnswer()
        #expect(!isBack)
        #expect(pause.judge(now: start + .seconds(3)) == .wait(.seconds(59)))
    }
}
