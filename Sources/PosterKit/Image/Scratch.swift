/// Memory that one worker fills again and again, so that no picture costs an allocation that the
/// last one already paid for.
///
/// What it held is undefined after ``reserve(_:)``.
struct Scratch<Element: BitwiseCopyable>: ~Copyable {
    private var memory = UnsafeMutableBufferPointer<Element>(start: nil, count: 0)

    deinit { memory.deallocate() }

    /// At least `count` elements, valid until the next call on this value.
    mutating func reserve(_ count: Int) -> UnsafeMutablePointer<Element> {
        if memory.count < count || memory.baseAddress == nil {
            memory.deallocate()
            memory = .allocate(capacity: max(count, 1))
        }
        guard let base = memory.baseAddress else {
            fatalError("an allocation of \(count) elements has no address")
        }
        return base
    }

    /// Gives the memory back when it has grown beyond `limit` bytes: one giant must not hold on
    /// to its megabytes for as long as the worker lives.
    mutating func trim(to limit: Int) {
        guard memory.count * MemoryLayout<Element>.stride > limit else { return }
        memory.deallocate()
        memory = UnsafeMutableBufferPointer(start: nil, count: 0)
    }
}
