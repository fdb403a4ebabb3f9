import PosterBase
import PosterKit
import Testing

@Suite struct HTTPDateTests {
    private let now = Timestamp(seconds: 1_796_000_000)  // in November 2026

    @Test(
        "the three forms of RFC 9110 read as one moment",
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
        ])
    func forms(text: String) {
        #expect(HTTPDate.parse(text, now: now) == Timestamp(seconds: 784_111_777))
    }

    @Test func `a date reads back as itself`() {
        let text = HTTPDate.format(Timestamp(seconds: 784_111_777))
        #expect(text == "Sun, 06 Nov 1994 08:49:37 GMT")
    }

    @Test(
        "what is no date is nil",
        arguments: [
            "", "GMT", "7", "1e3", "Sun, 31 Feb 2021 00:00:00 GMT", "Sun, 06 Nov 1994 25:00:00 GMT",
            "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 19944 08:49:37 GMT",
            "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT",
        ])
    func refused(text: String) { #expect(HTTPDate.parse(text, now: now) == nil) }
}
