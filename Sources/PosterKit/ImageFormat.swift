/// The picture formats that Onesheet handles, told by the bytes and never by the name.
public enum ImageFormat: String, CaseIterable, Sendable {
    /// ITU-T T.81, in a JFIF, Exif or bare stream.
    case jpeg
    /// W3C PNG.
    case png

    /// The `Content-Type` (RFC 2046; W3C PNG).
    public var mediaType: String {
        switch self {
        case .jpeg: "image/jpeg"
        case .png: "image/png"
        }
    }

    /// Tells the format by the first bytes: `FF D8 FF`, or PNG's eight-byte signature.
    public init?(firstBytes bytes: some Collection<UInt8>) {
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else {
            return nil
        }
    }
}
