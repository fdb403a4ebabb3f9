/// Decoded or drawn pixels: rows top to bottom, packed without padding, 8 bits a sample, sRGB.
package struct PixelBuffer: Sendable {
    /// The order of a pixel's bytes.
    package enum Layout: Sendable {
        /// Red, green, blue.
        case rgb
        /// Red, green, blue, alpha; not premultiplied.
        case rgba
        /// Blue, green, red, a byte that means nothing: Cairo's RGB24 on a little-endian machine.
        case bgrx

        /// Bytes from one pixel to the next.
        package var bytesPerPixel: Int { self == .rgb ? 3 : 4 }
    }

    /// Pixels a row.
    package let width: Int
    /// Rows.
    package let height: Int
    /// The order of a pixel's bytes.
    package let layout: Layout
    /// `width × height × bytesPerPixel` bytes.
    package var samples: [UInt8]

    package init(width: Int, height: Int, layout: Layout, samples: [UInt8]) {
        (self.width, self.height, self.layout, self.samples) = (width, height, layout, samples)
    }
}
