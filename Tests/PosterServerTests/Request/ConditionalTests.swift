import PosterBase
import PosterKit
import Testing

@testable import PosterHTTP
@testable import PosterServer

@Suite struct ConditionalTests {
    static let tag = "\"abc\""
    static let modified = Timestamp(seconds: 784_111_777)  // Sun, 06 Nov 1994 08:49:37 GMT
    static let now = Timestamp(seconds: 784_200_000)

    private func outcome(_ set: (inout RequestHead) -> Void) -> Conditional.Outcome {
        var head = RequestHead()
        set(&head)
        return Conditional.evaluate(
            head, entityTag: Self.tag, modified: Self.modified, now: Self.now)
    }

    @Test(
        "If-None-Match with our tag is 304, by weak comparison",
        arguments: [
            "\"abc\"", "W/\"abc\"", "*", "\"x\", \"abc\"", "\"x\",\"abc\"",
            "\"x\" , W/\"abc\" ",
            ", ,\"abc\"", "\"a,b\", \"abc\"", "\"abc\", garbage",
            (0..<1000).map { "\"\($0)\", " }.joined() + "\"abc\"",
        ])
    func match(list: String) {
        #expect(outcome { $0.ifNoneMatch = list } == .notModified)
    }

    @Test(
        "If-None-Match without our tag, or unreadable, is answered whole",
        arguments: [
            "\"abd\"", "abc", "'abc'", "\"ABC\"", "w/\"abc\"", "W/abc", "\"abc", "abc\"", "", "**",
            "\"*\"", "*, \"abd\"", "garbage, \"abc\"", "\"x\" \"abc\"", "\"\"", "W/\"\"",
            (0..<1000).map { "\"\($0)\"" }.joined(separator: ","),
        ])
    func noMatch(list: String) {
        #expect(outcome { $0.ifNoneMatch = list } == .proceed)
    }

    @Test(
        "If-Modified-Since at or after our date is 304, in three date forms",
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:38 GMT",
            "Mon, 07 Nov 2044 08:49:37 GMT",
        ])
    func unmodified(date: String) {
        #expect(outcome { $0.ifModifiedSince = date } == .notModified)
    }

    @Test(
        "If-Modified-Since before our date, or unreadable, is answered whole",
        arguments: [
            "Sun, 06 Nov 1994 08:49:36 GMT", "yesterday", "", "784111777", "1994-11-06T08:49:37Z",
            "Sun, 06 Nov 1994 08:49:37", "Sun, 31 Feb 1994 08:49:37 GMT",
        ])
    func modifiedSince(date: String) {
        #expect(outcome { $0.ifModifiedSince = date } == .proceed)
    }

    @Test func `If-None-Match wins over If-Modified-Since`() {
        let both = outcome {
            $0.ifNoneMatch = "\"other\""
            $0.ifModifiedSince = "Mon, 07 Nov 1994 08:49:37 GMT"
        }
        #expect(both == .proceed)
    }

    @Test(
        "If-Match wants the very tag, strongly",
        arguments: [
            ("\"abc\"", .proceed), ("*", .proceed), ("\"x\", \"abc\"", .proceed),
            ("W/\"abc\"", .failed), ("\"x\"", .failed), ("", .failed),
        ] as [(String, Conditional.Outcome)])
    func ifMatch(list: String, expected: Conditional.Outcome) {
        #expect(outcome { $0.ifMatch = list } == expected)
    }

    @Test(
        "If-Unmodified-Since before our date fails",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:36 GMT", .failed), ("Sun, 06 Nov 1994 08:49:37 GMT", .proceed),
            ("garbage", .proceed),
        ] as [(String, Conditional.Outcome)])
    func ifUnmodifiedSince(date: String, expected: Conditional.Outcome) {
        #expect(outcome { $0.ifUnmodifiedSince = date } == expected)
    }

    @Test(
        "If-Range lets a range pass for our strong tag or our exact date alone",
        arguments: [
            (nil, true), ("\"abc\"", true), ("Sun, 06 Nov 1994 08:49:37 GMT", true),
            ("\"old\"", false), ("W/\"abc\"", false), ("Sun, 06 Nov 1994 08:49:36 GMT", false),
            ("Sun, 06 Nov 1994 08:49:38 GMT", false), ("abc", false), ("*", false), ("", false),
        ] as [(String?, Bool)])
    func ifRange(value: String?, allowed: Bool) {
        var head = RequestHead()
        head.ifRange = value
        #expect(
            Conditional.allowsRange(
                head, entityTag: Self.tag, modified: Self.modified, now: Self.now) == allowed)
    }

    @Test func `a date of this very second is no strong validator`() {
        var head = RequestHead()
        head.ifRange = "Sun, 06 Nov 1994 08:49:37 GMT"
        #expect(
            !Conditional.allowsRange(
                head, entityTag: Self.tag, modified: Self.modified, now: Self.modified))
    }
}
