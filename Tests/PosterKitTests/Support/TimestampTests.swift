import Foundation
import Testing
import TestSupport

@testable import PosterBase
@testable import PosterKit

/// Moments against a model that cannot overflow: 128 bits.
@Suite struct TimestampTests {
    private func clamped(_ nanoseconds: Int128) -> Timestamp {
        Timestamp(nanoseconds: Int64(clamping: nanoseconds))
    }

    private var moments: [Timestamp] { Extremes.integers.map { Timestamp(nanoseconds: $0) } }

    private var spans: [(duration: Duration, nanoseconds: Int128)] {
        let fractions: [Int64] = [0, 1, 999_999_999]
        return Extremes.integers.flatMap { seconds in
            fractions.map { fraction in
                let sign: Int64 = seconds < 0 ? -1 : 1
                return (
                    Duration(
                        secondsComponent: seconds,
                        attosecondsComponent: sign * fraction * 1_000_000_000),
                    Int128(seconds) * 1_000_000_000 + Int128(sign * fraction)
                )
            }
        }
    }

    @Test func `a span leads to the moment that it names, or to the end of the range`() {
        var wrong: [String] = []
        let spans = spans
        for moment in moments {
            let here = Int128(moment.nanoseconds)
            for (duration, nanoseconds) in spans {
                if moment + duration != clamped(here + nanoseconds) {
                    wrong.append("\(moment.nanoseconds) + \(duration)")
                }
                if moment - duration != clamped(here - nanoseconds) {
                    wrong.append("\(moment.nanoseconds) - \(duration)")
                }
            }
        }
        #expect(wrong.isEmpty, "\(wrong.prefix(5))")
    }

    @Test func `what lies between two moments leads from one to the other`() {
        var wrong: [String] = []
        for left in moments {
            for right in moments {
                let between = left - right
                let (seconds, attoseconds) = between.components
                let exact = Int128(left.nanoseconds) - Int128(right.nanoseconds)
                let isExact =
                    Int128(seconds) * 1_000_000_000 + Int128(attoseconds / 1_000_000_000) == exact
                if !isExact || right + between != left {
                    wrong.append("\(left.nanoseconds) - \(right.nanoseconds)")
                }
            }
        }
        #expect(wrong.isEmpty, "\(wrong.prefix(5))")
    }

    @Test func `the system's form of a moment reads back as itself`() {
        for moment in moments {
            let time = moment.systemTime
            #expect((0..<1_000_000_000).contains(time.tv_nsec))
            let whole = Int128(time.tv_sec) * 1_000_000_000 + Int128(time.tv_nsec)
            #expect(whole == Int128(moment.nanoseconds))
            #expect(Timestamp(time) == moment)
        }
    }

    @Test func `a file's time outside the range is its end`() {
        for seconds in Extremes.integers {
            for nanoseconds in [0, 1, 999_999_999] {
                let time = timespec(tv_sec: Int(seconds), tv_nsec: nanoseconds)
                let exact = Int128(seconds) * 1_000_000_000 + Int128(nanoseconds)
                #expect(Timestamp(time) == clamped(exact), "\(seconds) s and \(nanoseconds) ns")
            }
        }
    }

    @Test func `every moment has a date in HTTP's form, which reads back as its second`() {
        for moment in moments {
            let text = HTTPDate.format(moment)
            #expect(HTTPDate.parse(text, now: moment)?.seconds == moment.seconds, "\(text)")
        }
    }
}
