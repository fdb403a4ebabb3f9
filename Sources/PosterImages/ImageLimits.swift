/// How much a picture may ask of the decoders. Going over is refused before a decoder runs.
public struct ImageLimits: Sendable, Equatable {
    /// Encoded bytes: 8 MiB.
    public var bytes = 8 << 20
    /// Encoded bytes of an arithmetic-coded JPEG, 4 MiB: they take four times as long to decode,
    /// 0.16 s of CPU a MB.
    public var arithmeticBytes = 4 << 20
    /// Width × height: 20 megapixels.
    public var pixels = 20_000_000
    /// The longer side, in pixels.
    public var side = 8192
    /// Scans of a JPEG.
    public var scans = 100
    /// Scans × width × height of a JPEG: decoding time grows with this product.
    public var scannedPixels = 200_000_000
    /// Coefficients of a JPEG that comes in several scans, 64 million: libjpeg keeps them all, two
    /// bytes each, so 20 megapixels in three full components are the most.
    public var coefficients = 64_000_000

    /// Bytes that the image data of a PNG inflate to, 100 million: all are inflated and unfiltered,
    /// so 20 megapixels of 8 bits a channel are the most, or 12 of RGBA with 16.
    public var inflatedBytes = 100_000_000
    /// Pixels of an arithmetic-coded JPEG, 2 million, beside those that its data make likely: such
    /// a picture may go on for ever without data, all grey (T.81, D.2.6).
    public var arithmeticPixels = 2_000_000
    /// Pixels that a byte of entropy-coded data makes likely in an arithmetic-coded JPEG: 128.
    /// Photographs have one to eight a byte, flat drawings fifty.
    public var arithmeticPixelsPerByte = 128

    /// The defaults of every user.
    public init() {}

    /// Throws for a header that promises no pixels, too long a side, or too many pixels.
    func check(width: Int, height: Int) throws(ImageError) {
        guard width > 0, height > 0 else { throw .empty(width: width, height: height) }
        guard max(width, height) <= side else {
            throw .sideTooLong(width: width, height: height, limit: side)
        }
        guard width * height <= pixels else {
            throw .tooManyPixels(width: width, height: height, limit: pixels)
        }
    }
}
