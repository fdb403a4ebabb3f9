/// The bits of entropy-coded data that come next, read eight bytes at a time.
///
/// It does not know where the data end: a reader must have ``overrun`` bytes behind them, and call
/// ``consumed(since:)`` after every MCU. It does know how many bits are valid: to pass over more of
/// them is a fault in the reader and traps, because the bits behind them are not the file's.
struct BitWindow {
    /// How many bytes one MCU may lead beyond the data: ten blocks of 64 coefficients of at most 31
    /// bits, and the bytes that are read ahead.
    static let overrun = 10 * 64 * 4 + 16

    /// The next bits, the first one highest; zeros behind the ``count``th, or bits of the bytes at
    /// ``next``.
    private(set) var bits: UInt64 = 0
    /// How many bits are valid, at most 63.
    private var count: UInt64 = 0
    private var next: UnsafePointer<UInt8>

    /// Begins at a byte; nothing is read yet.
    init(_ start: UnsafePointer<UInt8>) { next = start }

    /// Makes at least 56 bits valid.
    @inline(__always)
    mutating func fill() {
        let ahead = UnsafeRawPointer(next).loadUnaligned(as: UInt64.self)
        bits |= UInt64(bigEndian: ahead) &>> count
        next += Int(truncatingIfNeeded: (63 &- count) &>> 3)
        count |= 56
    }

    /// Passes over bits; traps where they are not valid.
    @inline(__always)
    mutating func skip(_ length: UInt64) {
        bits = bits &<< length
        // Checked: this is the one place where a missing fill can be seen.
        count -= length
    }

    /// Reads 0…32 bits; traps where they are not valid.
    @inline(__always)
    mutating func take(_ length: UInt64) -> Int {
        // In two steps, because a shift by 64 is one by none.
        let value = (bits &>> 1) &>> (63 &- length)
        skip(length)
        return Int(truncatingIfNeeded: value)
    }

    /// How many bits were passed over since the window was at `start`.
    func consumed(since start: UnsafePointer<UInt8>) -> Int {
        (next - start) * 8 - Int(truncatingIfNeeded: count)
    }
}
