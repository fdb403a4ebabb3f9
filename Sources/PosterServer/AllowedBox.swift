import PosterImages

/// A box that thumbnails may have, in pixels.
public struct AllowedBox: Hashable, Sendable {
    private let width: Int?
    private let height: Int?

    /// A box of so many pixels; a side that is `nil` follows from the picture.
    public init(width: Int?, height: Int?) {
        self.width = width
        self.height = height
    }

    /// Whether a variant has this box, or the one side of it that it asks for.
    func allows(_ variant: ThumbnailVariant) -> Bool {
        (variant.width ?? width) == width && (variant.height ?? height) == height
    }
}
