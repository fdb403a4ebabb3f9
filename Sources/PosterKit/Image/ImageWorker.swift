import Amodb

/// One pixel thread's own codecs and scratch memory: proves pictures whole, makes thumbnails of
/// them, encodes what was drawn.
///
/// Not shared and not copied: a worker thread makes one and uses it for every job. All methods
/// block for as long as the pixels take.
struct ImageWorker: ~Copyable {
    /// What a proven picture is.
    struct Proof: Equatable, Sendable {
        let format: ImageFormat
        /// Pixels, as stored: before the turn that an EXIF orientation asks for.
        let width: Int
        let height: Int
    }

    init() {}

    /// Proves that `bytes` are one whole JPEG or PNG within `limits`, by walking it and then
    /// decoding all of it.
    mutating func verify(_ bytes: [UInt8], limits: ImageLimits) throws(ImageError) -> Proof {
        fatalError("unbuilt")
    }

    /// Makes an encoded thumbnail for each variant, from one decode of `bytes`, which is walked
    /// and decoded whole as ``verify(_:limits:)`` does.
    mutating func thumbnails(
        of bytes: [UInt8], as variants: [ThumbnailVariant], limits: ImageLimits
    ) throws(ImageError) -> [[UInt8]] {
        fatalError("unbuilt")
    }

    /// Encodes drawn pixels. `quality` is JPEG's 1…100; PNG ignores it.
    mutating func encode(
        _ pixels: PixelBuffer, format: ImageFormat, quality: Int
    ) throws(ImageError) -> [UInt8] {
        fatalError("unbuilt")
    }
}
