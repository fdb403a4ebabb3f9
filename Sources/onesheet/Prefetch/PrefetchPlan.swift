import Amodb
import PosterImages
import PosterKit

/// In which renditions a prefetch wants every poster.
struct PrefetchPlan: Equatable {
    /// The sizes of the poster itself.
    let sizes: [PosterSize]
    /// The thumbnails of it.
    let variants: [ThumbnailVariant]
    /// Whether a thumbnail's request can name the poster to fetch for it. A front cannot be told.
    let namesPosters: Bool

    /// Takes also the size that a thumbnail needs where no wanted one is large enough, so that
    /// every request upstream is one of the plan, and counted.
    init(sizes: [PosterSize], variants: [ThumbnailVariant], namesPosters: Bool = true) {
        var sizes = sizes
        for variant in variants.sorted(by: { $0.wantedSize > $1.wantedSize })
        where !sizes.contains(where: { $0 >= variant.wantedSize }) {
            sizes.append(variant.wantedSize)
        }
        (self.sizes, self.variants, self.namesPosters) = (sizes, variants, namesPosters)
    }

    /// How many pictures every poster comes to.
    var count: Int { sizes.count + variants.count }

    /// What to ask for at once. Thumbnails whose poster is asked for too come first: then the
    /// decode that proves the poster makes them.
    func firstWishes(for path: PosterPath) -> [PosterRequest] {
        variants.filter { namesPosters || sizes.contains($0.wantedSize) }
            .map { request(path, .thumbnail($0), from: source(of: $0)) }
            + sizes.map { request(path, .poster($0)) }
    }

    /// What to ask for when the poster of a size is there: thumbnails that a smaller poster
    /// would do for, but that are made from this one, so that the smaller one is not fetched. None
    /// where the first requests could name it.
    func requests(after size: PosterSize, of path: PosterPath) -> [PosterRequest] {
        guard !namesPosters else { return [] }
        return variants.filter { !sizes.contains($0.wantedSize) && source(of: $0) == size }
            .map { request(path, .thumbnail($0)) }
    }

    private func source(of variant: ThumbnailVariant) -> PosterSize? {
        sizes.filter { $0 >= variant.wantedSize }.min()
    }

    private func request(
        _ path: PosterPath, _ rendition: PosterRequest.Rendition, from size: PosterSize? = nil
    ) -> PosterRequest {
        PosterRequest(
            path, rendition, drawsPlaceholder: false, priority: .background, fetchedSize: size)
    }
}
