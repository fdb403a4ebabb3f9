/// Decoded or drawn pixels: rows top to bottom, packed without padding, 8 bits a sample, sRGB.
struct PixelBuffer: Sendable {
    /// The order of a pixel's bytes.
    enum Layout: Sendable {
        /// Red, green, blue.
        case rgb
        /// Red, green, blue, alpha; not premultiplied.
        case rgba
        /// Blue, green, red, a byte that means nothing: Cairo's RGB24 on a little-endian machine.
        case bgrx

        /// Bytes from one pixel to the next.
        var bytesPerPixel: Int { self == .rgb ? 3 : 4 }
    }

    /// Pixels a row.
    let width: Int
    /// Rows.
    let height: Int
    /// The order of a pixel's bytes.
    let layout: Layout
    /// `width × height × bytesPerPixel` bytes.
    var samples: [UInt8]
}
