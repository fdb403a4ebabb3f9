public import PosterBase

/// An encoded image as it is kept and served: the bytes, and what HTTP says of them.
///
/// Immutable and shared by reference: the memory tier, a worker and ten responses hold the same
/// one. The texts are made once, here, so that a hit formats nothing.
public final class Picture: Sendable {
    /// The encoded image, byte for byte.
    public let bytes: [UInt8]
    /// Its format, told by the bytes.
    public let format: ImageFormat
    /// The hash of the bytes.
    package let hash: ContentHash
    /// When these bytes were fetched or made. Renewing an entry does not change it.
    public let made: Timestamp
    /// A strong entity tag (RFC 9110, section 8.8.3), from the bytes alone.
    public let entityTag: String
    /// `made` as an HTTP date.
    public let lastModified: String

    /// Wraps bytes whose format and hash are known.
    package init(bytes: [UInt8], format: ImageFormat, hash: ContentHash, made: Timestamp) {
        self.bytes = bytes
        self.format = format
        self.hash = hash
        self.made = made
        entityTag = "\"\(hash)\""
        lastModified = HTTPDate.format(made)
    }

    /// Wraps bytes and hashes them.
    public convenience init(bytes: [UInt8], format: ImageFormat, made: Timestamp) {
        self.init(bytes: bytes, format: format, hash: ContentHash(of: bytes), made: made)
    }
}
