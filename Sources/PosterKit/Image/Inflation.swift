import CPNG

/// How much a zlib stream (RFC 1950) comes to, learnt by inflating it into a small buffer again
/// and again.
enum Inflation {
    /// The size of what `stream` holds, or some size over `limit` as soon as it is over; `nil`
    /// where the stream is cut or damaged, which a decoder says better.
    static func size(of stream: [UInt8], limit: Int) -> Int? {
        var state = z_stream()
        guard inflateInit_(&state, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            return nil
        }
        defer { inflateEnd(&state) }
        var (input, output) = (stream, [UInt8](repeating: 0, count: 1 << 18))
        return input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                state.next_in = input.baseAddress
                state.avail_in = uInt(input.count)
                while Int(state.total_out) <= limit {
                    state.next_out = output.baseAddress
                    state.avail_out = uInt(output.count)
                    switch inflate(&state, Z_NO_FLUSH) {
                    case Z_OK: continue
                    case Z_STREAM_END: return Int(state.total_out)
                    default: return nil
                    }
                }
                return Int(state.total_out)
            }
        }
    }
}
