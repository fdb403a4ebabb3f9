import Amodb
import PosterBase
import PosterCache
import PosterImages
import PosterPlaceholders

/// Which class of jobs a request's work belongs to.
extension PosterStore {
    /// Bytes of a poster from which on its decode is large work: some 50 ms.
    static let largeSourceBytes = 1 << 20

    /// The class of a request's fetch. `isCached`: it is cached, though it may have expired. Blocks
    /// for looks at the disk.
    func jobClass(of request: PosterRequest, isCached: Bool) -> JobClass {
        guard request.priority == .live else { return .background }
        guard let path = request.path, !isCached, !isKnown(path) else { return .live }
        return .newName
    }

    /// Whether a poster is cached at some size, or a list has named it. A stranger can think up
    /// any number of names; these are as many as there are.
    func isKnown(_ path: PosterPath) -> Bool {
        tints.value(for: path) != nil || titles.title(of: path) != nil
            || PosterSize.allCases.contains { disk.has(.poster(path, $0)) }
    }

    /// Has the lists read that came since this was last called, so that the posters which they name
    /// are known before clients ask for them. Blocks for a look at a folder.
    public func readNewLists() {
        guard !pace.isSlow(now: .now), titles.isBehind else { return }
        _ = pixels.submit(.live) { _ in self.titles.catchUp() }
    }

    /// The class of what a pixel thread does for a fetch or thumbnail of the class `jobClass`:
    /// decodes so many bytes and makes these thumbnails.
    func pixelClass(
        _ jobClass: JobClass, _ variants: [ThumbnailVariant], sourceBytes: Int
    ) -> JobClass {
        guard jobClass.isAwaited else { return .background }
        if sourceBytes > Self.largeSourceBytes || variants.contains(where: \.isLarge) {
            return .large
        }
        if jobClass == .newName { return .newName }
        return variants.allSatisfy { boxes.hasSeen($0) } ? .live : .newBox
    }
}

extension ThumbnailVariant {
    /// Whether it may take as long as dozens of usual ones.
    var isLarge: Bool { usualSize.width * usualSize.height > 1_000_000 }
}

extension PlaceholderRequest {
    /// The class of its drawing: w500's size takes up to 7 ms, and most a tenth of that.
    var jobClass: JobClass {
        let drawn = drawn
        return drawn.width * drawn.height > 400_000 ? .large : .standIn
    }
}

/// The boxes that thumbnails were made in before: by this process, or by any that shares the cache
/// directory. Bounded: what was used longest ago is forgotten.
final class SeenBoxes: Sendable {
    private let recent = MemoryTier<ThumbnailVariant, Bool>(capacity: 1 << 20)
    private let disk: DiskCache

    init(_ disk: DiskCache) { self.disk = disk }

    /// Whether a thumbnail in this box was made before. Blocks for one look at the disk, unless it
    /// is known.
    func hasSeen(_ variant: ThumbnailVariant) -> Bool {
        if recent.value(for: variant) != nil { return true }
        guard disk.hasFolder(of: variant) else { return false }
        note(variant)
        return true
    }

    /// Notes that one was made.
    func note(_ variant: ThumbnailVariant) {
        recent.insert(variant, true, bytes: 0, checked: .now)
    }
}
