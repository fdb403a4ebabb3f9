import Synchronization

/// Counts durations by a closed set of labels in buckets with fixed bounds, without a lock.
package final class Histogram<Label: CaseIterable & Hashable & RawRepresentable & Sendable>:
    Sendable
where Label.RawValue == String, Label.AllCases: Sendable {
    /// A label's counts at one moment.
    package struct Reading: Equatable, Sendable {
        /// How many durations were at most as long as each bound, in the order of the bounds.
        package let atMost: [Int]
        /// How many there were.
        package let count: Int
        /// Their sum in seconds.
        package let seconds: Double
    }

    /// The buckets' upper bounds in seconds, rising.
    package let bounds: [Double]
    private let indices: [Label: Int]
    /// For each label its buckets, the one beyond all bounds, and the sum in nanoseconds.
    private nonisolated(unsafe) let cells: UnsafeMutablePointer<Atomic<Int>>

    /// All counts at zero; `bounds` must rise.
    package init(seconds bounds: [Double]) {
        precondition(zip(bounds, bounds.dropFirst()).allSatisfy(<))
        let labels = Array(Label.allCases)
        self.bounds = bounds
        indices = Dictionary(uniqueKeysWithValues: labels.enumerated().map { ($1, $0) })
        let count = labels.count * (bounds.count + 2)
        cells = .allocate(capacity: count)
        for index in 0..<count { (cells + index).initialize(to: Atomic(0)) }
    }

    deinit {
        cells.deinitialize(count: indices.count * (bounds.count + 2))
        cells.deallocate()
    }

    /// Counts one duration.
    package func observe(_ label: Label, _ duration: Duration) {
        guard let row = row(label) else { return }
        let seconds = duration / .seconds(1)
        let bucket = bounds.firstIndex { seconds <= $0 } ?? bounds.count
        row[bucket].wrappingAdd(1, ordering: .relaxed)
        let nanoseconds = Int(min(max(seconds, 0), 1e9) * 1e9)
        row[bounds.count + 1].wrappingAdd(nanoseconds, ordering: .relaxed)
    }

    /// A label's counts so far. They belong together but for what is counted meanwhile.
    package subscript(label: Label) -> Reading {
        guard let row = row(label) else {
            return Reading(atMost: bounds.map { _ in 0 }, count: 0, seconds: 0)
        }
        var sum = 0
        let atMost = bounds.indices.map { index in
            sum += row[index].load(ordering: .relaxed)
            return sum
        }
        return Reading(
            atMost: atMost, count: sum + row[bounds.count].load(ordering: .relaxed),
            seconds: Double(row[bounds.count + 1].load(ordering: .relaxed)) / 1e9)
    }

    private func row(_ label: Label) -> UnsafeMutablePointer<Atomic<Int>>? {
        indices[label].map { cells + $0 * (bounds.count + 2) }
    }
}
