/// The picture formats that Onesheet handles, told by the bytes and never by the name.
///
/// Posters are read in JPEG and PNG; thumbnails and placeholders are made in all three.
public enum ImageFormat: String, CaseIterable, Sendable {
    /// ITU-T T.81, in a JFIF, Exif or bare stream.
    case jpeg
    /// W3C PNG.
    case png
    /// RFC 9649. Made, but never read: a poster in it is refused.
    case webp

    /// The `Content-Type` (RFC 2046; W3C PNG; RFC 9649).
    public var mediaType: String {
        switch self {
        case .jpeg: "image/jpeg"
        case .png: "image/png"
        case .webp: "image/webp"
        }
    }

    /// Tells the format by the first bytes: `FF D8 FF`, PNG's eight-byte signature, or `RIFF`,
    /// four bytes of length, and `WEBP`.
    public init?(firstBytes bytes: some Collection<UInt8>) {
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) {
            self = .webp
        } else {
            return nil
        }
    }
}
