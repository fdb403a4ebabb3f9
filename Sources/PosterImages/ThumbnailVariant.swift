public import Amodb

/// What a thumbnail is to be: its box in pixels, how the picture meets the box, and how it is
/// encoded.
///
/// One value, one spelling: ``description`` is the folder of the cache, the log field and the
/// canonical form, and reads back as the same value.
public struct ThumbnailVariant: Hashable, Sendable {
    /// How a picture meets a box of another shape.
    public enum Fit: String, CaseIterable, Sendable {
        /// Fill the box and crop the rest, centred.
        case cover
        /// Lie whole within the box.
        case contain
    }

    /// The largest box that is made, in pixels.
    public static let maxWidth = 2000
    /// The largest box that is made, in pixels.
    public static let maxHeight = 3000
    /// The most pixels of a WebP with transparency, whose alpha takes libwebp 170 MB and 0.6 s at
    /// 2000×3000: a larger one is made smaller to this, and keeps its shape.
    public static let maxClearWebPPixels = 2_000_000
    /// The JPEG and WebP quality when none is asked for.
    public static let defaultQuality = 82

    /// The box's width in pixels; `nil`: as the picture's shape has it.
    public let width: Int?
    /// The box's height in pixels; `nil`: as the picture's shape has it.
    public let height: Int?
    /// How the picture meets the box. With one side free, both fits mean the same: `contain`.
    public let fit: Fit
    /// 1…100, the encoder's own scale. PNG is lossless and always has the default here.
    public let quality: Int
    /// The encoding.
    public let format: ImageFormat
    /// The poster size that it must be made from; `nil`: the smallest that covers the box.
    public let source: PosterSize?

    /// Makes the canonical value. Throws what is out of range; a picture that is smaller than
    /// the box is not enlarged when the thumbnail is made.
    public init(
        width: Int?, height: Int?, fit: Fit = .cover, quality: Int = defaultQuality,
        format: ImageFormat = .jpeg, source: PosterSize? = nil
    ) throws(ThumbnailVariantError) {
        guard width != nil || height != nil else { throw .noSide }
        if let width, !(1...Self.maxWidth).contains(width) { throw .width(width) }
        if let height, !(1...Self.maxHeight).contains(height) { throw .height(height) }
        guard (1...100).contains(quality) else { throw .quality(quality) }
        self.width = width
        self.height = height
        self.fit = width == nil || height == nil ? .contain : fit
        self.quality = format == .png ? Self.defaultQuality : quality
        self.format = format
        self.source = source
    }

    /// The poster size to make it from: the one it is bound to, or the smallest that covers it.
    public var wantedSize: PosterSize {
        source ?? .smallest(coveringWidth: width, height: height)
    }

    /// The poster sizes that it is made from where they are cached, best first: the one that it is
    /// bound to; else all that cover its box.
    package var sources: [PosterSize] {
        source.map { [$0] } ?? PosterSize.allCases.filter { $0 >= wantedSize }
    }
}

extension ThumbnailVariant: CustomStringConvertible {
    /// `120x180-cover-q82.jpeg`; `120x-contain-q82.jpeg` with a free height;
    /// `120x180-cover-q82-w185.jpeg` when bound to a poster size.
    public var description: String {
        let box = "\(width.map(String.init) ?? "")x\(height.map(String.init) ?? "")"
        let bound = source.map { "-\($0.rawValue)" } ?? ""
        return "\(box)-\(fit.rawValue)-q\(quality)\(bound).\(format.rawValue)"
    }

    /// Reads what ``description`` writes; `nil` for anything else, other spellings of the same
    /// value included.
    public init?(_ text: String) {
        let halves = text.split(separator: ".", omittingEmptySubsequences: false)
        guard halves.count == 2, let format = ImageFormat(rawValue: String(halves[1])) else {
            return nil
        }
        let parts = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        guard (3...4).contains(parts.count), let fit = Fit(rawValue: String(parts[1])),
            parts[2].first == "q", let quality = Int(parts[2].dropFirst())
        else { return nil }
        let sides = parts[0].split(separator: "x", omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        var source: PosterSize?
        if parts.count == 4 {
            guard let size = PosterSize(rawValue: String(parts[3])) else { return nil }
            source = size
        }
        do {
            try self.init(
                width: Int(sides[0]), height: Int(sides[1]), fit: fit, quality: quality,
                format: format, source: source)
        } catch { return nil }
        guard description == text else { return nil }
    }
}

/// Why a thumbnail cannot be asked for in this way.
public enum ThumbnailVariantError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Neither width nor height.
    case noSide
    /// Outside 1…2000.
    case width(Int)
    /// Outside 1…3000.
    case height(Int)
    /// Outside 1…100.
    case quality(Int)

    /// One line with the value and the rule.
    public var description: String {
        switch self {
        case .noSide: "a thumbnail needs a width or a height"
        case .width(let value): "width \(value) is not in 1…\(ThumbnailVariant.maxWidth) pixels"
        case .height(let value): "height \(value) is not in 1…\(ThumbnailVariant.maxHeight) pixels"
        case .quality(let value): "quality \(value) is not in 1…100"
        }
    }
}
