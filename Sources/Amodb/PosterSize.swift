/// A rendition of a poster that the image host offers, by its size token.
public enum PosterSize: String, CaseIterable, Sendable, Comparable {
    /// 185 pixels wide.
    case w185
    /// 342 pixels wide, the default.
    case w342
    /// 500 pixels wide, the largest that is used.
    case w500

    /// The rendition's width in pixels. Its height follows the poster's own shape, mostly 2:3.
    public var width: Int {
        switch self {
        case .w185: 185
        case .w342: 342
        case .w500: 500
        }
    }

    /// The height in pixels that a 2:3 poster has at this size, as the image host rounds it.
    public var usualHeight: Int {
        switch self {
        case .w185: 278
        case .w342: 513
        case .w500: 750
        }
    }

    /// The smallest size whose usual picture covers a box of `width` × `height` pixels, or the
    /// largest there is. `nil` for a side means that this side does not matter.
    public static func smallest(coveringWidth width: Int?, height: Int?) -> PosterSize {
        allCases.first { $0.width >= width ?? 0 && $0.usualHeight >= height ?? 0 } ?? .w500
    }

    /// By width.
    public static func < (left: PosterSize, right: PosterSize) -> Bool { left.width < right.width }
}
