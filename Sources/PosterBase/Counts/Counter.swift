import Synchronization

/// Counts events by a closed set of labels, without a lock.
package final class Counter<Label: CaseIterable & Hashable & RawRepresentable & Sendable>: Sendable
where Label.RawValue == String, Label.AllCases: Sendable {
    private let indices: [Label: Int]
    private nonisolated(unsafe) let cells: UnsafeMutablePointer<Atomic<Int>>

    /// All counts at zero.
    package init() {
        let labels = Array(Label.allCases)
        indices = Dictionary(uniqueKeysWithValues: labels.enumerated().map { ($1, $0) })
        cells = .allocate(capacity: labels.count)
        for index in labels.indices { (cells + index).initialize(to: Atomic(0)) }
    }

    deinit {
        cells.deinitialize(count: indices.count)
        cells.deallocate()
    }

    /// Adds `amount` to a label's count.
    package func add(_ label: Label, _ amount: Int = 1) {
        guard let index = indices[label] else { return }
        cells[index].wrappingAdd(amount, ordering: .relaxed)
    }

    /// A label's cell, for code that counts so often that the look-up would show.
    package struct Place: Sendable {
        fileprivate let index: Int
    }

    /// Where a label is counted.
    package func place(of label: Label) -> Place { Place(index: indices[label] ?? 0) }

    /// Adds one to the count at a place of this counter.
    package func add(at place: Place) { cells[place.index].wrappingAdd(1, ordering: .relaxed) }

    /// A label's count so far.
    package subscript(label: Label) -> Int {
        guard let index = indices[label] else { return 0 }
        return cells[index].load(ordering: .relaxed)
    }
}
