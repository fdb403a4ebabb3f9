import CPNG

/// Zlib streams (RFC 1950), inflated no further than a limit.
enum Inflation {
    /// The size of what `stream` holds, or some size over `limit` as soon as it is over, learnt by
    /// inflating it into a small buffer again and again; `nil` where the stream is cut or damaged,
    /// which a decoder says better.
    static func size(of stream: [UInt8], limit: Int) -> Int? {
        run(stream, buffer: 1 << 18, limit: limit) { _, size, _ in size }
    }

    /// A stream that holds the same without compression, so that inflating it is copying it, and
    /// the size of what it holds; none, and some size over `limit`, as soon as that is over; `nil`
    /// where `stream` is cut or damaged.
    static func stored(_ stream: [UInt8], limit: Int) -> (stream: [UInt8], size: Int)? {
        run(stream, buffer: limit + 1, limit: limit) { bytes, size, checksum in
            (size > limit ? [] : store(bytes[..<size], checksum), size)
        }
    }

    /// As many bytes of what `stream` holds as can be inflated, `limit` at most, and whether they are
    /// all of it and its checksum is right.
    static func start(of stream: [UInt8], limit: Int) -> (bytes: [UInt8], isWhole: Bool) {
        var state = z_stream()
        guard inflateInit_(&state, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            return ([], false)
        }
        defer { inflateEnd(&state) }
        var (input, output) = (stream, [UInt8](repeating: 0, count: limit))
        let status = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                state.next_in = input.baseAddress
                state.avail_in = uInt(input.count)
                state.next_out = output.baseAddress
                state.avail_out = uInt(output.count)
                return inflate(&state, Z_SYNC_FLUSH)
            }
        }
        return (Array(output.prefix(Int(state.total_out))), status == Z_STREAM_END)
    }

    private static func run<Value>(
        _ stream: [UInt8], buffer: Int, limit: Int,
        _ end: (UnsafeMutableBufferPointer<UInt8>, _ size: Int, _ checksum: UInt) -> Value
    ) -> Value? {
        var state = z_stream()
        guard inflateInit_(&state, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            return nil
        }
        defer { inflateEnd(&state) }
        var (input, output) = (stream, [UInt8](repeating: 0, count: buffer))
        return input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                state.next_in = input.baseAddress
                state.avail_in = uInt(input.count)
                while Int(state.total_out) <= limit {
                    state.next_out = output.baseAddress
                    state.avail_out = uInt(output.count)
                    switch inflate(&state, Z_NO_FLUSH) {
                    case Z_OK: continue
                    case Z_STREAM_END: return end(output, Int(state.total_out), state.adler)
                    default: return nil
                    }
                }
                return end(output, Int(state.total_out), state.adler)
            }
        }
    }

    /// Blocks of stored bytes (RFC 1951, section 3.2.4), of 65,535 but for the last.
    private static func store(
        _ bytes: Slice<UnsafeMutableBufferPointer<UInt8>>, _ checksum: UInt
    ) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        stream.reserveCapacity(bytes.count + bytes.count / 8192 + 16)
        var rest = bytes
        repeat {
            let block = rest.prefix(65535)
            rest = rest.dropFirst(block.count)
            let (low, high) = (UInt8(block.count & 255), UInt8(block.count >> 8))
            stream += [rest.isEmpty ? 1 : 0, low, high, ~low, ~high]
            stream += block
        } while !rest.isEmpty
        return stream + (0..<4).map { UInt8(truncatingIfNeeded: checksum >> (24 - 8 * $0)) }
    }
}
