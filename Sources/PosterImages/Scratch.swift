/// Memory that one worker fills again and again, so that no picture costs an allocation that the
/// last one already paid for.
///
/// What it held is undefined after ``reserve(_:)``.
struct Scratch<Element: BitwiseCopyable>: ~Copyable {
    private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    deinit { memory.deallocate() }

    /// At least `count` elements, beginning on a multiple of 64 bytes, valid until the next call
    /// on this value.
    mutating func reserve(_ count: Int) -> UnsafeMutablePointer<Element> {
        let bytes = max(count, 1) * MemoryLayout<Element>.stride
        if memory.count < bytes {
            memory.deallocate()
            memory = .allocate(byteCount: bytes, alignment: sampleAlignment)
        }
        guard let base = memory.bindMemory(to: Element.self).baseAddress else {
            fatalError("an allocation of \(bytes) bytes has no address")
        }
        return base
    }

    /// Gives the memory back when it has grown beyond `limit` bytes: one giant must not hold on
    /// to its megabytes for as long as the worker lives.
    mutating func trim(to limit: Int) {
        guard memory.count > limit else { return }
        memory.deallocate()
        memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    }
}

/// Where rows of samples begin, in bytes: what the widest vector instructions want.
let sampleAlignment = 64

extension Int {
    /// The next multiple of ``sampleAlignment``.
    var aligned: Int { (self + sampleAlignment - 1) & ~(sampleAlignment - 1) }
}
