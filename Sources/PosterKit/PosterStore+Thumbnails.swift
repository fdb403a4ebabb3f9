import Amodb

extension PosterStore {
    /// The fresh poster to make a thumbnail from without asking upstream: the size that the
    /// variant is bound to; else the smallest cached one that covers the box.
    func cachedSource(of path: PosterPath, for variant: ThumbnailVariant) -> CacheEntry? {
        let sizes =
            variant.source.map { [$0] }
            ?? PosterSize.allCases.filter { $0 >= variant.wantedSize }
        for size in sizes {
            if let found = lookUp(.poster(path, size)), isFresh(found.entry) { return found.entry }
        }
        return nil
    }

    /// Makes a thumbnail on a pixel thread and lands its job. Does not block.
    func makeThumbnail(
        _ path: PosterPath, _ variant: ThumbnailVariant, from poster: CacheEntry,
        _ source: Answer.Source, _ jobClass: JobClass
    ) {
        let key = EntryKey.thumbnail(path, variant)
        let limits = configuration.imageLimits
        let pixelClass = pixelClass(
            jobClass, [variant], sourceBytes: poster.picture.bytes.count)
        let isQueued = pixels.submit(pixelClass) { worker in
            guard !self.stop.isRaised else { return self.land(key, .closed) }
            do throws(ImageError) {
                let bytes = try worker.thumbnails(
                    of: poster.picture.bytes, as: [variant], limits: limits
                ) { self.note($0, of: path) }
                guard let bytes = bytes.first else { throw .codec("no thumbnail was made") }
                let entry = self.entry(of: bytes, variant, from: poster)
                self.boxes.note(variant)
                // `Cache-Status` says of what was fetched now whether it is stored; and nobody
                // waits for a prefetch, which tells of what could not be.
                let isAwaited = source == .made && jobClass.isAwaited
                if isAwaited, self.keepBeside(key, entry) {
                    self.land(key, .held(.init(entry: entry, source: source, isStored: true)))
                } else {
                    self.land(key, .held(self.keep(key, entry, source)))
                }
            } catch {
                self.metrics.decodeRejects.add(error.reason)
                self.land(key, .absent(.unavailable(FetchError(error))))
            }
        }
        if !isQueued { land(key, .busy("thumbnails")) }
    }

    /// Has the poster fetched, or asked for anew, and then the thumbnail made or renewed.
    func obtainThumbnail(_ path: PosterPath, _ variant: ThumbnailVariant, _ jobClass: JobClass) {
        let key = EntryKey.thumbnail(path, variant)
        let posterKey = EntryKey.poster(path, variant.wantedSize)
        wanted.withLock { _ = $0[posterKey, default: []].insert(variant) }
        wait(for: posterKey, jobClass, until: nil) { outcome, _ in
            self.wanted.withLock { wanted in
                wanted[posterKey]?.remove(variant)
                if wanted[posterKey]?.isEmpty == true { wanted[posterKey] = nil }
            }
            guard case .held(let poster) = outcome else {
                return self.land(key, outcome)
            }
            if let thumbnail = poster.thumbnails[variant] {
                self.land(key, .held(thumbnail))
            } else if let old = self.lookUp(key)?.entry, old.source == poster.entry.picture.hash {
                self.land(key, self.renew(key, old, at: poster.entry.validated))
            } else {
                self.makeThumbnail(path, variant, from: poster.entry, poster.source, jobClass)
            }
        }
    }
}
