public import PosterImages

/// A placeholder to draw: what stands in for a poster that does not exist or cannot be had.
public struct PlaceholderRequest: Hashable, Sendable {
    /// Why a placeholder stands there; the two differ at a glance.
    public enum Kind: String, CaseIterable, Sendable {
        /// There is no poster.
        case missing
        /// There may be one; it cannot be had just now.
        case unavailable
    }

    /// The longest title, in characters.
    public static let maxTitleLength = 200

    /// Pixels, 1…2000.
    public private(set) var width: Int
    /// Pixels, 1…3000.
    public private(set) var height: Int
    /// Why it stands there.
    public let kind: Kind
    /// The text that it shows; `nil`: a film mark.
    public let title: String?
    /// What its hue comes from: the poster path or the title. The same seed, the same hue.
    public let seed: String
    /// Its encoding.
    public let format: ImageFormat
    /// JPEG's or WebP's 1…100, at most: flat colours gain nothing above the default, and a title of
    /// many letters is encoded lower, to stay small.
    public let quality: Int

    /// Throws when a side or the title's length is out of range.
    public init(
        width: Int, height: Int, kind: Kind, title: String? = nil, seed: String = "",
        format: ImageFormat = .jpeg, quality: Int = ThumbnailVariant.defaultQuality
    ) throws(PlaceholderRequestError) {
        guard (1...ThumbnailVariant.maxWidth).contains(width),
            (1...ThumbnailVariant.maxHeight).contains(height)
        else { throw .size(width: width, height: height) }
        if let title, title.count > Self.maxTitleLength { throw .titleLength(title.count) }
        self.width = width
        self.height = height
        self.kind = kind
        self.title = title == "" ? nil : title
        self.seed = seed
        self.format = format
        self.quality = quality
    }
}

extension PlaceholderRequest {
    /// The most pixels that a placeholder of a format is drawn with. Drawing and encoding one takes
    /// at most 20 ms of CPU, and this is what that buys: in JPEG the largest box, in PNG and WebP
    /// less (`Benchmarks placeholder`).
    public static func maxPixels(_ format: ImageFormat) -> Int {
        switch format {
        case .jpeg: ThumbnailVariant.maxWidth * ThumbnailVariant.maxHeight
        case .png: 1_600_000
        case .webp: 800_000
        }
    }

    /// The request in the size that it is drawn in: its own, or with the same proportions as many
    /// pixels as ``maxPixels(_:)`` allows.
    public var drawn: PlaceholderRequest {
        let limit = Self.maxPixels(format)
        guard width * height > limit else { return self }
        let scale = (Double(limit) / Double(width * height)).squareRoot()
        var drawn = self
        drawn.width = max(1, Int(Double(width) * scale))
        drawn.height = max(1, Int(Double(height) * scale))
        return drawn
    }
}

/// Why a placeholder cannot be drawn as asked.
public enum PlaceholderRequestError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A side is out of range.
    case size(width: Int, height: Int)
    /// More characters than the limit.
    case titleLength(Int)

    /// One line with the value and the rule.
    public var description: String {
        switch self {
        case .size(let width, let height):
            "\(width)×\(height) is not within 1…\(ThumbnailVariant.maxWidth) × "
                + "1…\(ThumbnailVariant.maxHeight) pixels"
        case .titleLength(let count):
            "the title has \(count) characters; the limit is \(PlaceholderRequest.maxTitleLength)"
        }
    }
}
