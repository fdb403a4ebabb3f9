import Amodb
import PosterBase
import PosterCache
import PosterFetch
import PosterImages

extension PosterStore {
    /// The fresh poster to make a thumbnail from without asking upstream: the size that the
    /// variant is bound to; else the smallest cached one that covers the box.
    func cachedSource(of path: PosterPath, for variant: ThumbnailVariant) -> CacheEntry? {
        for size in variant.sources {
            if let found = lookUp(.poster(path, size)), isFresh(found.entry) { return found.entry }
        }
        return nil
    }

    /// Makes a thumbnail on a pixel thread and completes its job, by one decode with others of the
    /// same poster that wait for a thread. Does not block.
    func makeThumbnail(
        _ path: PosterPath, _ variant: ThumbnailVariant, from poster: CacheEntry,
        _ source: Answer.Source, _ jobClass: JobClass
    ) {
        let pixelClass = pixelClass(
            jobClass, [variant], sourceBytes: poster.picture.bytes.count)
        let key = ThumbnailBatches.Key(
            path: path, poster: poster.picture.hash, pixelClass: pixelClass)
        let order = ThumbnailBatches.Order(variant: variant, poster: poster, source: source)
        if batches.add(order, key) { queue(key) }
    }

    /// Runs `body`, which asks for thumbnails of one poster, and has them made by one decode, or
    /// one for each class of jobs that they belong to.
    func together<Result>(_ path: PosterPath, _ body: () -> Result) -> Result {
        batches.hold(path)
        defer { for key in batches.release(path) { queue(key) } }
        return body()
    }

    private func queue(_ key: ThumbnailBatches.Key) {
        let isQueued = pixels.submit(key.pixelClass) { self.make(key, &$0) }
        guard !isQueued else { return }
        for order in batches.take(key) {
            complete(.thumbnail(key.path, order.variant), .busy("thumbnails"))
        }
    }

    /// Makes the thumbnails of a batch, and completes each as soon as it is there. Those that have
    /// not begun when the store drains are dropped.
    private func make(_ key: ThumbnailBatches.Key, _ worker: inout ImageWorker) {
        let orders = batches.take(key)
        guard let poster = orders.first?.poster.picture else { return }
        var open = Set(orders.indices)
        defer {
            for index in open { complete(.thumbnail(key.path, orders[index].variant), .closing) }
        }
        if draining.isRaised { return }
        // The same poster has the same tint, so that it is worked out once.
        let onTint: ((Tint) -> Void)? =
            knownTint(of: key.path) == nil ? { self.note($0, of: key.path) } : nil
        do throws(ImageError) {
            try worker.thumbnails(
                of: poster.bytes, as: orders.map(\.variant), limits: configuration.imageLimits,
                onTint: onTint
            ) { index, bytes in
                open.remove(index)
                boxes.note(orders[index].variant)
                keep(bytes, orders[index], key)
                return !draining.isRaised
            }
        } catch {
            metrics.images.decodeRejects.add(error.reason)
            for index in open {
                complete(
                    .thumbnail(key.path, orders[index].variant),
                    .absent(.failed(FetchError(error))))
            }
            open = []
        }
    }

    private func keep(
        _ bytes: [UInt8], _ order: ThumbnailBatches.Order, _ batch: ThumbnailBatches.Key
    ) {
        let key = EntryKey.thumbnail(batch.path, order.variant)
        let entry = entry(of: bytes, order.variant, from: order.poster)
        // `Cache-Status` says of what was fetched now whether it is stored; and no client
        // waits for a prefetch, which tells of what could not be.
        let isAwaited = order.source == .made && batch.pixelClass.isAwaited
        if isAwaited, keepBeside(key, entry) {
            complete(key, .hit(.init(entry: entry, source: order.source, isStored: true)))
        } else {
            complete(key, .hit(keep(key, entry, order.source)))
        }
    }

    /// Answers requests for renditions of one poster, each as ``PosterStore/answer(_:by:_:)``
    /// without a deadline does, but so that one decode makes all thumbnails that are missing.
    /// `reply` is called once for each.
    public func answer(
        together requests: [PosterRequest],
        _ reply: @escaping @Sendable (PosterRequest, Answer) -> Void
    ) {
        guard let path = requests.lazy.compactMap(\.path).first else {
            for request in requests { answer(request, by: nil) { reply(request, $0) } }
            return
        }
        // All are known before the first is asked for, so that a fetch that is quick makes them
        // all.
        for request in requests { expect(request) }
        together(path) {
            for request in requests { answer(request, by: nil) { reply(request, $0) } }
        }
    }

    /// Has a thumbnail made by the decode that proves its poster, where that is to be fetched.
    private func expect(_ request: PosterRequest) {
        guard let key = request.key, case .thumbnail(let path, let variant) = key,
            lookUp(key).map({ isFresh($0.entry) }) != true,
            cachedSource(of: path, for: variant) == nil
        else { return }
        let poster = EntryKey.poster(path, request.fetchedSize ?? variant.wantedSize)
        wanted.withLock { _ = $0[poster, default: []].insert(variant) }
    }

    /// Has the poster fetched, or revalidated, and then the thumbnail made or renewed.
    func obtainThumbnail(
        _ path: PosterPath, _ variant: ThumbnailVariant, from size: PosterSize, _ jobClass: JobClass
    ) {
        let key = EntryKey.thumbnail(path, variant)
        let posterKey = EntryKey.poster(path, size)
        wanted.withLock { _ = $0[posterKey, default: []].insert(variant) }
        wait(for: posterKey, jobClass, until: nil) { outcome, _ in
            self.wanted.withLock { wanted in
                wanted[posterKey]?.remove(variant)
                if wanted[posterKey]?.isEmpty == true { wanted[posterKey] = nil }
            }
            guard case .hit(let poster) = outcome else {
                return self.complete(key, outcome)
            }
            if let thumbnail = poster.thumbnails[variant] {
                self.complete(key, .hit(thumbnail))
            } else if let old = self.lookUp(key)?.entry, old.source == poster.entry.picture.hash {
                self.complete(key, self.renew(key, old, at: poster.entry.validated))
            } else {
                self.makeThumbnail(path, variant, from: poster.entry, poster.source, jobClass)
            }
        }
    }
}
