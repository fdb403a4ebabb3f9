import PosterKit
import Testing

@testable import struct PosterKit.RetryAfter

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
