import Testing

@testable import PosterBase
@testable import PosterKit

@Suite struct HistogramTests {
    private enum Work: String, CaseIterable, Sendable {
        case one, other
    }

    @Test func `a duration counts in the bucket of its bound and in all longer ones`() {
        let histogram = Histogram<Work>(seconds: [0.1, 1, 10])
        for milliseconds in [-5, 0, 100, 101, 1000, 9999, 10_001, 1_000_000] {
            histogram.observe(.one, .milliseconds(milliseconds))
        }
        let reading = histogram[.one]
        #expect(reading.atMost == [3, 5, 6])
        #expect(reading.count == 8)
        #expect(abs(reading.seconds - 1021.201) < 0.001)
        #expect(histogram[.other] == .init(atMost: [0, 0, 0], count: 0, seconds: 0))
    }

    @Test func `a failure of the disk counts under its operation and its number's name`() {
        let counter = DiskErrorCounter()
        for code: Int32 in [28, 28, 5, 9999] {
            counter.add(FileError(.write, "/", code: code))
        }
        #expect(counter[.write, .noSpace] == 2)
        #expect(counter[.write, .inputOutput] == 1)
        #expect(counter[.write, .other] == 1)
        #expect(counter[.read, .noSpace] == 0)
    }
}
