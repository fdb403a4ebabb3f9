public import Amodb
package import PosterBase
package import PosterCache
public import PosterImages

/// What a client wants to see: a poster as it is, or a thumbnail of it, and what is to stand in
/// when it cannot be had.
public struct PosterRequest: Hashable, Sendable {
    /// The picture itself.
    public enum Rendition: Hashable, Sendable {
        /// The bytes that upstream sent, at a size.
        case poster(PosterSize)
        /// A thumbnail.
        case thumbnail(ThumbnailVariant)
    }

    /// Whose poster; `nil`: the film has none.
    public var path: PosterPath?
    /// In which form.
    public var rendition: Rendition
    /// The text of a placeholder; `nil`: the title that a list in the cache has for the poster,
    /// else a film mark. Not part of the picture's key.
    public var title: String?
    /// Whether a placeholder is drawn when there is no picture, or only the ``Unavailability``
    /// told.
    public var drawsPlaceholder: Bool
    /// Whether a client waits, or a prefetch fills the cache.
    package var priority: Priority
    /// For a thumbnail whose poster is not cached: the size to fetch; `nil`: the smallest that
    /// covers its box.
    package var fetchedSize: PosterSize?

    /// A request of a client that waits, with a placeholder where there is no picture.
    package init(
        _ path: PosterPath?, _ rendition: Rendition, title: String? = nil,
        drawsPlaceholder: Bool = true, priority: Priority = .live,
        fetchedSize: PosterSize? = nil
    ) {
        self.path = path
        self.rendition = rendition
        self.title = title
        self.drawsPlaceholder = drawsPlaceholder
        self.priority = priority
        self.fetchedSize = fetchedSize
    }

    /// The entry that fulfils it; `nil` when there is no poster.
    package var key: EntryKey? {
        path.map { path in
            switch rendition {
            case .poster(let size): .poster(path, size)
            case .thumbnail(let variant): .thumbnail(path, variant)
            }
        }
    }
}
