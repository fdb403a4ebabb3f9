import Testing

@testable import PosterFetch
@testable import PosterKit

@Suite struct HostBreakerTests {
    private let start = ContinuousClock.now

    @Test(
        "what is the host's by its nature closes it at once, longer each time",
        arguments: [.dns, .dnsTimeout, .connectTimeout] as [FetchError.Reason])
    func host(reason: FetchError.Reason) {
        var breaker = HostBreaker()
        let pauses = (0..<5).map { _ in breaker.note(reason, of: "/a", now: start) }
        #expect(pauses == [15, 30, 60, 60, 60].map { .seconds($0) })
        breaker.noteAnswer()
        #expect(breaker.note(reason, of: "/a", now: start) == .seconds(15))
    }

    @Test func `a bad certificate closes it for a minute`() {
        var breaker = HostBreaker()
        #expect(breaker.note(.tls, of: "/a", now: start) == .seconds(60))
    }

    @Test(
        "what one poster may meet closes it at the fifth poster in a row",
        arguments: [.status5xx, .reset, .firstByteTimeout, .connect, .framing]
            as [FetchError.Reason])
    func counted(reason: FetchError.Reason) {
        var breaker = HostBreaker()
        for number in 0..<4 {
            #expect(breaker.note(reason, of: "/\(number)", now: start) == nil)
            #expect(breaker.note(reason, of: "/\(number)", now: start) == nil)
        }
        #expect(breaker.note(reason, of: "/4", now: start) == .seconds(15))
        #expect(breaker.note(reason, of: "/5", now: start) == nil)
    }

    @Test func `failures far apart do not belong together`() {
        var breaker = HostBreaker()
        for number in 0..<20 {
            let now = start + .seconds(number * 3)
            #expect(breaker.note(.status5xx, of: "/\(number)", now: now) == nil)
        }
    }

    @Test func `an answer in between begins the row anew`() {
        var breaker = HostBreaker()
        for number in 0..<20 {
            #expect(breaker.note(.status5xx, of: "/\(number)", now: start) == nil)
            if number % 4 == 3 { breaker.noteAnswer() }
        }
    }

    @Test func `a client that is refused twenty names in a row stays away for five minutes`() {
        var breaker = HostBreaker()
        for number in 1...19 {
            for size in ["w342", "w500", "w342"] {
                let url = "https://h/t/p/\(size)/\(number).jpg"
                #expect(breaker.note(.denied, of: url, now: start) == nil)
            }
        }
        #expect(breaker.note(.denied, of: "https://h/t/p/w342/20.jpg", now: start) == .seconds(300))
        #expect(breaker.note(.denied, of: "https://h/t/p/w342/21.jpg", now: start) == nil)
    }

    /// Refusals and answers in any order, against a list that is walked again after each.
    @Test("the row of refused names ends with an answer", arguments: 0..<20)
    func refusals(seed: UInt64) {
        var numbers = SplitMix(seed: seed)
        var (breaker, row) = (HostBreaker(), [Int]())
        for _ in 0..<2000 {
            if numbers.next(below: 40) == 0 {
                breaker.noteAnswer()
                row = []
                continue
            }
            let name = numbers.next(below: 60)
            row.append(name)
            let isPause = Set(row).count == 20
            let pause = breaker.note(.denied, of: "https://h/t/p/w342/\(name).jpg", now: start)
            #expect(pause == (isPause ? .seconds(300) : nil))
            if isPause { row = [] }
        }
    }

    @Test(
        "what is the poster's own fault, or ours, says nothing against the host",
        arguments: [.notAnImage, .tooLarge, .status4xx, .busy, .deadline, .backingOff]
            as [FetchError.Reason])
    func harmless(reason: FetchError.Reason) {
        var breaker = HostBreaker()
        for number in 0..<20 {
            #expect(breaker.note(reason, of: "/\(number)", now: start) == nil)
        }
    }
}
