import Testing

@testable import PosterFetch
@testable import PosterKit

@Suite struct StallDetectorTests {
    private let start = ContinuousClock.now

    /// Bytes in all at each second from 1 on; the second at which it is found stalled.
    private func stall(_ bytes: [Int]) -> Int? {
        var pace = StallDetector(from: start, window: .seconds(5), leastBytes: 5 * 1024)
        for (index, total) in bytes.enumerated()
        where pace.isStalled(now: start + .seconds(index + 1), bytes: total) {
            return index + 1
        }
        return nil
    }

    @Test func `silence is a stall when the window is full`() {
        #expect(stall(Array(repeating: 0, count: 20)) == 5)
    }

    @Test func `silence after a fast start is seen as soon`() {
        let bytes = [1 << 20, 2 << 20] + Array(repeating: 2 << 20, count: 20)
        #expect(stall(bytes) == 7)
    }

    @Test func `just under the least speed is a stall and just over it is none`() {
        #expect(stall((1...60).map { $0 * 1023 }) == 5)
        #expect(stall((1...60).map { $0 * 1024 }) == nil)
    }

    @Test func `many looks within a second cost no memory and change nothing`() {
        var pace = StallDetector(from: start, window: .seconds(5), leastBytes: 5 * 1024)
        var stalled: Int?
        for milliseconds in 0..<20_000 where stalled == nil {
            let now = start + .milliseconds(milliseconds)
            if pace.isStalled(now: now, bytes: 9) { stalled = milliseconds }
        }
        #expect((stalled ?? 0) / 1000 == 5)
    }
}
