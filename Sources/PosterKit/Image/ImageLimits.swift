/// How much a picture may ask of the decoders. Going over is refused before a decoder runs.
public struct ImageLimits: Sendable, Equatable {
    /// Encoded bytes: 8 MiB.
    public var bytes = 8 << 20
    /// Width × height: 20 megapixels.
    public var pixels = 20_000_000
    /// The longer side, in pixels.
    public var side = 8192
    /// Scans of a progressive JPEG.
    public var scans = 100
    /// Scans × width × height of a progressive JPEG: decoding time grows with this product.
    public var scannedPixels = 200_000_000

    /// The defaults of every user.
    public init() {}
}
