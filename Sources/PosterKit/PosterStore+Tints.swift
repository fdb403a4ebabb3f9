public import Amodb
import PosterCache
import PosterImages

/// The colours that stand for posters until they come: found by the decode that proves a poster or
/// makes a thumbnail, else worked out when they are first asked for, and kept in memory.
extension PosterStore {
    /// Memory for them, in bytes: some eight thousand posters.
    static let tintBytes = 4 << 20

    /// Notes the tint of a poster, as a decode has found it. The first one stays: another size's may
    /// differ by a shade.
    func note(_ tint: Tint, of path: PosterPath) {
        guard tints.value(for: path) == nil else { return }
        tints.insert(path, tint, bytes: 0, checked: clock.instant())
    }

    /// The tint of a poster, if it is known already. Does not block.
    public func knownTint(of path: PosterPath) -> Tint? { tints.value(for: path)?.value }

    /// The tint of a poster, if it is known or the poster is cached at some size; `nil` costs a
    /// look at the disk. Blocks for the disk and, once for each poster, for a decode.
    public func tint(of path: PosterPath) -> Tint? {
        if let known = tints.value(for: path) { return known.value }
        for size in PosterSize.allCases {
            guard case .entry(let entry) = disk.read(.poster(path, size)) else { continue }
            return tint(of: path, from: entry.picture)
        }
        return nil
    }

    /// The tint of a poster, of which `picture` is some rendition. Blocks for a decode, once for
    /// each poster; `nil` when that fails.
    public func tint(of path: PosterPath, from picture: Picture) -> Tint? {
        if let known = tints.value(for: path) { return known.value }
        // WebP is never decoded; what it was made from lies in the cache beside it.
        if picture.format == .webp { return tint(of: path) }
        // A decoder of its own: the pixel threads may have a long queue, and this is a moment.
        var worker = ImageWorker()
        do throws(ImageError) {
            let tint = try worker.tint(of: picture.bytes, limits: configuration.imageLimits)
            note(tint, of: path)
            return tint
        } catch { return nil }
    }
}
