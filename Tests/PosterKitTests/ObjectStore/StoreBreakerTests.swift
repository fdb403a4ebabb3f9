import Testing

@testable import PosterFetch
@testable import PosterKit
@testable import PosterObjectStore

@Suite struct StoreBreakerTests {
    private let start = ContinuousClock.now

    @Test func `passing failures open it at the third in a row, longer each time`() {
        var breaker = StoreBreaker()
        var now = start
        for _ in 0..<2 {
            let news = breaker.note(.init(.timeout, ""), now: now)
            #expect(news == nil)
        }
        var pauses: [Duration] = []
        for _ in 0..<6 {
            guard let news = breaker.note(.init(.timeout, ""), now: now) else { break }
            #expect(news.isNews == pauses.isEmpty)
            pauses.append(news.pause)
            var verdicts = [breaker.judge(now: now)]
            now += news.pause
            verdicts += [breaker.judge(now: now), breaker.judge(now: now)]
            #expect(verdicts == [.wait(news.pause), .probe, .wait(HostPause.probePause)])
        }
        #expect(pauses == [5, 10, 20, 40, 60, 60].map { .seconds($0) })
        let isBack = breaker.noteAnswer()
        let verdict = breaker.judge(now: now)
        #expect(isBack && verdict == .go)
        #expect(breaker.cause == nil)
    }

    @Test(
        "what concerns every object opens it at once",
        arguments: [.denied, .clockSkew, .noBucket, .elsewhere, .slowDown] as [StoreError.Kind])
    func atOnce(kind: StoreError.Kind) {
        var breaker = StoreBreaker()
        let news = breaker.note(.init(kind, ""), now: start)
        #expect(news?.pause == StoreBreaker.firstPause)
        #expect(breaker.cause?.kind == kind)
    }

    @Test func `the store's own request counts where it is longer`() {
        var breaker = StoreBreaker()
        let error = StoreError(.slowDown, "", retryAfterSeconds: 90)
        let news = breaker.note(error, now: start)
        #expect(news?.pause == .seconds(90))
    }

    @Test func `what was under way when it opened does not lengthen it`() {
        var breaker = StoreBreaker()
        let news = (0..<2).map { _ in breaker.note(.init(.denied, ""), now: start)?.pause }
        #expect(news == [StoreBreaker.firstPause, nil])
        #expect(breaker.left(now: start) == StoreBreaker.firstPause)
    }

    @Test func `an answer between them makes failures begin anew`() {
        var breaker = StoreBreaker()
        for _ in 0..<5 {
            let news = (0..<2).map { _ in breaker.note(.init(.broken, ""), now: start)?.pause }
            let isBack = breaker.noteAnswer()
            #expect(news == [nil, nil] && !isBack)
        }
    }
}
