import Testing

@testable import PosterBase
@testable import PosterCache
@testable import PosterKit

@Suite struct DiskHealthTests {
    private let full = FileError(.write, "tmp", code: 28)
    private let broken = FileError(.sync, "tmp", code: 5)
    private let disk = Disk()

    /// A state that is told of by milliseconds since the start.
    private final class Disk {
        private var health = DiskHealth(pause: .seconds(5))
        private let start = ContinuousClock.now

        var failure: FileError? { health.failure }
        func refusal(at time: Int) -> FileError? { health.refusal(now: moment(time)) }
        func isProbeDue(at time: Int) -> Bool { health.isProbeDue(now: moment(time)) }
        func failed(_ error: FileError, at time: Int) -> Bool {
            health.failed(error, now: moment(time))
        }
        func succeeded(at time: Int) -> Bool { health.succeeded(now: moment(time)) }

        private func moment(_ time: Int) -> ContinuousClock.Instant { start + .milliseconds(time) }
    }

    @Test func `a failure stops all tries for five seconds, then lets one through`() {
        #expect(disk.refusal(at: 0) == nil)
        #expect(disk.failed(full, at: 0))
        #expect(disk.refusal(at: 4999) == full)
        #expect(!disk.isProbeDue(at: 4999))
        #expect(disk.isProbeDue(at: 5000))
        #expect(disk.refusal(at: 5000) == nil)
        #expect(disk.refusal(at: 5000) == full)
        #expect(disk.refusal(at: 10_000) == nil)
    }

    @Test func `only a change is news`() {
        #expect(!disk.succeeded(at: 0))
        #expect(disk.failed(full, at: 0))
        #expect(!disk.failed(full, at: 5000))
        #expect(disk.failed(broken, at: 10_000))
        #expect(disk.succeeded(at: 15_000))
        #expect(disk.failure == nil)
        #expect(!disk.succeeded(at: 16_000))
        #expect(disk.refusal(at: 16_000) == nil)
        #expect(disk.failed(broken, at: 20_000))
    }

    @Test func `a success right after a failure proves nothing`() {
        #expect(disk.failed(broken, at: 0))
        #expect(!disk.succeeded(at: 10))
        #expect(disk.failure == broken)
        #expect(disk.succeeded(at: 2000))
    }
}
