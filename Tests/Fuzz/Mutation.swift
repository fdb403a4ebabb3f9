import CPNG
import Glibc

/// The fuzzer's own mutation, and for a PNG its checksums mended afterwards, seven times in eight:
/// the eighth keeps what the mutator did to them.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(
    _ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int, _ seed: UInt32
) -> Int {
    let count = fuzzerMutate(start, count, limit)
    if seed % 8 != 0 { mendChecksums(UnsafeMutableBufferPointer(start: start, count: count)) }
    return count
}

/// libFuzzer's default mutation (`FuzzerInterface.h`).
@_silgen_name("LLVMFuzzerMutate")
private func fuzzerMutate(_ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int) -> Int

/// Puts the right checksum behind each chunk whose length lies within the bytes.
private func mendChecksums(_ bytes: UnsafeMutableBufferPointer<UInt8>) {
    guard let base = bytes.baseAddress, bytes.count > 8, base[0] == 0x89 else { return }
    var position = 8
    while position + 12 <= bytes.count {
        let length = (0..<4).reduce(0) { $0 << 8 | Int(base[position + $1]) }
        guard length <= bytes.count - position - 12 else { return }
        let sum = UInt32(truncatingIfNeeded: crc32_z(0, base + position + 4, length + 4))
        let place = position + 8 + length
        for index in 0..<4 {
            base[place + index] = UInt8(truncatingIfNeeded: sum >> (24 - 8 * index))
        }
        position = place + 4
    }
}
