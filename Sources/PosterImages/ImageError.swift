/// Why bytes could not become pixels, or pixels bytes.
///
/// Sorted by who is at fault: the file, the operator's limits, this machine. Every case carries
/// what decided.
public enum ImageError: Error, Equatable, Sendable {
    /// The first bytes match no format that is read.
    case notAnImage(firstBytes: [UInt8])
    /// A known format, or a kind of JPEG or PNG, that is not read on purpose.
    case unsupported(String)
    /// The file ends before its picture does.
    case truncated(ImageFormat, String)
    /// The file contradicts its format or itself. The text is the walk's or the C library's own.
    case corrupt(ImageFormat, String)
    /// A side of zero pixels.
    case empty(width: Int, height: Int)
    /// More pixels in all than the limit.
    case tooManyPixels(width: Int, height: Int, limit: Int)
    /// A side longer than the limit.
    case sideTooLong(width: Int, height: Int, limit: Int)
    /// More progressive scans than the limit.
    case tooManyScans(Int, limit: Int)
    /// More scans × pixels than the limit.
    case tooMuchScanning(scans: Int, width: Int, height: Int, limit: Int)
    /// More coefficients to keep between scans than the limit.
    case tooManyCoefficients(Int, limit: Int)
    /// More bytes to inflate than the limit.
    case tooManyInflatedBytes(Int, limit: Int)
    /// More pixels than so few bytes of entropy-coded data can be meant for.
    case tooLittleData(Int, width: Int, height: Int, limit: Int)
    /// More encoded bytes than the limit.
    case tooManyBytes(Int, limit: Int)
    /// A codec or the resampler ran out of memory or failed by itself.
    case codec(String)

    /// Too many pictures wait for a pixel thread already.
    case busy(waiting: Int)

    /// The closed set of names that metrics count refusals under.
    public enum Reason: String, CaseIterable, Sendable {
        /// The counted reasons.
        case format, unsupported, truncated, corrupt, empty, dimensions, scans, bytes, decoder,
            busy
    }

    /// The name to count it under.
    public var reason: Reason {
        switch self {
        case .notAnImage: .format
        case .unsupported: .unsupported
        case .truncated: .truncated
        case .corrupt: .corrupt
        case .empty: .empty
        case .tooManyPixels, .sideTooLong, .tooManyCoefficients, .tooManyInflatedBytes,
            .tooLittleData:
            .dimensions
        case .tooManyScans, .tooMuchScanning: .scans
        case .tooManyBytes: .bytes
        case .codec: .decoder
        case .busy: .busy
        }
    }
}

extension ImageError: CustomStringConvertible {
    /// One line: what was wrong and the numbers that decided it.
    public var description: String {
        switch self {
        case .notAnImage(let bytes):
            let hex = bytes.prefix(4).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
            return bytes.isEmpty
                ? "not an image: no bytes"
                : "not a JPEG or PNG image: starts with \(hex.joined(separator: " "))"
        case .unsupported(let what): return "unsupported image: \(what)"
        case .truncated(let format, let detail): return "truncated \(format.rawValue): \(detail)"
        case .corrupt(let format, let detail): return "corrupt \(format.rawValue): \(detail)"
        case .empty(let width, let height): return "image is \(width)×\(height): it has no pixels"
        case .tooManyPixels(let width, let height, let limit):
            return "image is \(width)×\(height) = \(width * height) pixels; the limit is \(limit)"
        case .sideTooLong(let width, let height, let limit):
            return "image is \(width)×\(height); the limit for a side is \(limit) pixels"
        case .tooManyScans(let scans, let limit):
            return "image has \(scans) scans; the limit is \(limit)"
        case .tooMuchScanning(let scans, let width, let height, let limit):
            return "image has \(scans) scans of \(width)×\(height) = \(scans * width * height) "
                + "pixels; the limit is \(limit)"
        case .tooManyCoefficients(let count, let limit):
            return "image keeps \(count) coefficients between its scans; the limit is \(limit)"
        case .tooManyInflatedBytes(let bytes, let limit):
            return "image inflates to \(bytes) bytes; the limit is \(limit)"
        case .tooLittleData(let bytes, let width, let height, let limit):
            return "image is \(width)×\(height) = \(width * height) pixels of \(bytes) bytes of "
                + "data; the limit for so few is \(limit)"
        case .tooManyBytes(let bytes, let limit):
            return "image has \(bytes) bytes; the limit is \(limit)"
        case .codec(let detail): return "image codec failed: \(detail)"
        case .busy(let waiting): return "\(waiting) pictures wait for a thread already"
        }
    }
}
