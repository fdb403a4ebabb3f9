package import Amodb
package import PosterImages

/// The name of one cached image: a poster at a size, or a thumbnail of it in a variant.
///
/// One value, one spelling: ``description`` is the entry's place below the cache directory,
/// what its seal is bound to, and the log field.
package enum EntryKey: Hashable, Sendable {
    /// The bytes that upstream sent for a poster at a size.
    case poster(PosterPath, PosterSize)
    /// A thumbnail that was made from one of the poster's sizes.
    case thumbnail(PosterPath, ThumbnailVariant)

    /// The poster that it belongs to.
    package var path: PosterPath {
        switch self {
        case .poster(let path, _), .thumbnail(let path, _): path
        }
    }

    /// The top folder: `posters` or `thumbs`.
    package var kind: Kind {
        switch self {
        case .poster: .posters
        case .thumbnail: .thumbs
        }
    }

    /// The two kinds of entries, by the name of their folder.
    package enum Kind: String, CaseIterable, Sendable {
        /// As fetched.
        case posters
        /// As made.
        case thumbs
    }

    /// The middle folder: the size's or the variant's spelling.
    package var rendition: String {
        switch self {
        case .poster(_, let size): size.rawValue
        case .thumbnail(_, let variant): variant.description
        }
    }

    /// The folder of the file: the name's first two characters, so that no folder grows huge.
    package var shard: String { String(path.name.prefix(2)) }
}

extension EntryKey: CustomStringConvertible {
    /// `posters/w342/Ab/AbCdEf.jpg`, relative to the cache directory.
    package var description: String {
        "\(kind.rawValue)/\(rendition)/\(shard)/\(path.fileName)"
    }

    /// Reads what ``description`` writes; `nil` for any other path, so that a walk knows the
    /// cache's own files from foreign ones.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4, let kind = Kind(rawValue: parts[0]) else { return nil }
        let path: PosterPath
        do { path = try PosterPath("/" + parts[3]) } catch { return nil }
        switch kind {
        case .posters:
            guard let size = PosterSize(rawValue: parts[1]) else { return nil }
            self = .poster(path, size)
        case .thumbs:
            guard let variant = ThumbnailVariant(parts[1]) else { return nil }
            self = .thumbnail(path, variant)
        }
        guard shard == parts[2] else { return nil }
    }
}
