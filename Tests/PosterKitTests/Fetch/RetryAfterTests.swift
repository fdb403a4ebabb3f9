import Testing

@testable import PosterBase
@testable import PosterFetch
@testable import PosterKit

@Suite struct RetryAfterTests {
    private static let now = Timestamp(seconds: 784_111_777)  // Sun, 06 Nov 1994 08:49:37 GMT

    @Test(
        "a pause that upstream states is taken",
        arguments: [
            (["7"], 7), ([" 7 "], 7), (["\t7"], 7), (["007"], 7), (["0"], 1), (["1"], 1),
            (["3600"], 3600), (["Sun, 06 Nov 1994 08:49:44 GMT"], 7),
            (["Sunday, 06-Nov-94 08:49:44 GMT"], 7), (["Sun Nov  6 08:49:44 1994"], 7),
            ([" Sun, 06 Nov 1994 08:49:44 GMT "], 7),
            // What has passed already.
            (["Sun, 06 Nov 1994 08:49:37 GMT"], 1), (["Sun, 06 Nov 1994 08:49:36 GMT"], 1),
            (["Thu, 01 Jan 1970 00:00:00 GMT"], 1),
            // More than an hour: seconds, seconds since 1970, a date of the far future.
            (["3601"], 3600), (["784111784"], 3600), (["100000000000000000000"], 3600),
            (["Fri, 31 Dec 9999 23:59:59 GMT"], 3600),
            // Several: the longest, whatever the others are.
            (["7", "9"], 9), (["9", "7"], 9), (["7, 9"], 9), (["", "9"], 9),
            (["nonsense", "9"], 9), (["7", "Sun, 06 Nov 1994 08:49:57 GMT"], 20),
        ])
    func readable(values: [String], seconds: Int) {
        let read = RetryAfter(values, now: Self.now)
        #expect(read.isReadable)
        #expect(read.seconds == seconds)
    }

    /// Clocks of upstream that are wrong by up to a century, in each form of a date.
    @Test("a date is read by the answer's own clock", arguments: 0..<50)
    func skewed(seed: UInt64) {
        var numbers = SplitMix(seed: seed)
        let skew = numbers.next(below: 2_000_000_000) - 1_000_000_000
        let pause = numbers.next(below: 3600) + 1
        let sent = Timestamp(seconds: Self.now.seconds + Int64(skew))
        let response = FetchResponse(
            status: seed.isMultiple(of: 2) ? 429 : 503,
            headers: [
                ("date", HTTPDate.format(sent)),
                ("retry-after", HTTPDate.format(sent + .seconds(pause))),
            ], body: [])
        #expect(response.pause(now: Self.now)?.seconds == pause)
    }

    @Test(
        "without a date of its own that can be read, the local clock counts",
        arguments: [nil, "", "yesterday", "Sun, 31 Feb 1994 08:49:37 GMT"])
    func undated(date: String?) {
        let headers = [("retry-after", "Sun, 06 Nov 1994 08:49:44 GMT")]
        let response = FetchResponse(
            status: 503, headers: headers + (date.map { [("date", $0)] } ?? []), body: [])
        #expect(response.pause(now: Self.now)?.seconds == 7)
    }

    @Test("no field and no date is too much", arguments: 0..<200)
    func extremes(seed: UInt64) {
        var numbers = SplitMix(seed: seed)
        let values = (0..<numbers.next(below: 4)).map { _ in numbers.fieldValue() }
        let response = FetchResponse(
            status: 429,
            headers: values.map { ("retry-after", $0) } + [("date", numbers.fieldValue())],
            body: [])
        for now in [Int64.min, -1, 0, 784_111_777_000_000_000, .max] {
            let pause = response.pause(now: Timestamp(nanoseconds: now))?.pause
            #expect(pause.map { (.seconds(1) ... .seconds(3600)).contains($0) } == true)
        }
    }

    @Test(
        "one that is absent or cannot be read stands for five seconds",
        arguments: [
            [], [""], [" "], ["soon"], ["1.5"], ["1e3"], ["60abc"], ["-5"], ["+5"], ["0x10"],
            ["7 s"], ["7;"], ["7,"], [",7"], ["-5", "x"], ["７"], ["Sun, 06 Nov 1994"],
            ["Sun, 31 Feb 1994 08:49:37 GMT"], ["1994-11-06T08:49:44Z"], ["\u{0}7"],
        ])
    func unreadable(values: [String]) {
        let read = RetryAfter(values, now: Self.now)
        #expect(!read.isReadable)
        #expect(read.seconds == 5)
    }
}
