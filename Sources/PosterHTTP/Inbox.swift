import Glibc

/// The memory that a thread receives into. A connection has it during its turn; what it cannot use
/// yet it takes along, so that a connection without half a request has no memory for input.
struct Inbox: ~Copyable {
    private let base: UnsafeMutablePointer<UInt8>
    private let capacity: Int
    /// Where the bytes begin and end that have not been used.
    private var (start, end) = (0, 0)

    init(capacity: Int) {
        self.capacity = capacity
        base = .allocate(capacity: capacity)
    }

    /// Frees the memory. The inbox must not be used after this.
    func deallocate() { base.deallocate() }

    /// What has been received and not used.
    var bytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: base + start, count: end - start)
    }

    var isEmpty: Bool { start == end }

    /// Begins a turn with what was left of the last one.
    mutating func load(_ bytes: [UInt8]) {
        (start, end) = (0, bytes.count)
        bytes.withUnsafeBufferPointer { bytes in
            if let first = bytes.baseAddress { base.update(from: first, count: bytes.count) }
        }
    }

    /// Drops the first bytes, which have been used.
    mutating func use(_ count: Int) { start += count }

    /// Drops everything.
    mutating func clear() { (start, end) = (0, 0) }

    /// What a receive comes to.
    enum Receipt {
        /// Bytes came; `isAll`: as far as the kernel had any.
        case bytes(isAll: Bool)
        /// Nothing is there now.
        case nothing
        /// The client has ended its side.
        case end
        /// The connection is broken.
        case broken
    }

    /// Receives what fits behind what is there.
    mutating func receive(from socket: Int32) -> Receipt {
        if start > 0 {
            memmove(base, base + start, end - start)
            (start, end) = (0, end - start)
        }
        while true {
            let room = capacity - end
            let count = recv(socket, base + end, room, 0)
            if count > 0 {
                end += count
                return .bytes(isAll: count < room)
            }
            if count == 0 { return .end }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .nothing
            default: return .broken
            }
        }
    }
}
