/// A decoded picture in a worker's scratch memory, as stored: not yet turned upright.
///
/// Valid until the worker decodes again.
struct DecodedPicture {
    /// What the samples mean.
    enum Color: Sendable {
        /// One plane: luma.
        case grey
        /// Three planes: JFIF's Y, Cb and Cr; the last two may be coarser.
        case yCbCr
        /// One plane of three channels: sRGB.
        case rgb
        /// One plane of four channels: sRGB, each colour multiplied by alpha, and alpha.
        case premultipliedRGBA
    }

    /// One plane and how many stored pixels a sample of it covers. Sample centres lie in the
    /// middle of what they cover, as JFIF has it.
    struct Plane {
        let samples: SamplePlane
        let columnsPerSample: Int
        let rowsPerSample: Int
    }

    /// What the samples mean.
    let color: Color
    /// One, or three for `yCbCr`.
    let planes: [Plane]
    /// What the colours mean where that is not sRGB.
    var profile: ColorProfile?

    /// How many channels it has, in planes of their own or interleaved.
    var channels: Int {
        switch color {
        case .grey: 1
        case .yCbCr, .rgb: 3
        case .premultipliedRGBA: 4
        }
    }
}
