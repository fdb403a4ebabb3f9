import Amodb

extension PosterStore {
    /// Answers a wish whose picture cannot be had: the expired one, else one made from another
    /// size, else a placeholder. A poster that upstream says is gone has only the placeholder.
    func standIn(
        for wish: Wish, _ absence: Absence, old: CacheEntry?,
        _ reply: @escaping @Sendable (Answer) -> Void
    ) {
        if case .unavailable(let error) = absence {
            if let old { return reply(stale(old, error)) }
            // Nobody looks at what a prefetch gets, so nothing is made to stand in there.
            if wish.priority == .live, let other = otherSize(for: wish) {
                return derive(wish, from: other, error, absence, reply)
            }
        }
        placeholder(for: wish, absence, reply)
    }

    /// Answers a wish with what is in memory, however long ago it was compared with the disk; else
    /// with a placeholder.
    func answerWithoutDisk(_ wish: Wish, _ reply: @escaping @Sendable (Answer) -> Void) {
        let late = FetchError(.deadline, "no answer from the cache before the deadline")
        if let key = wish.key, let kept = memory.value(for: key) {
            return reply(stale(kept.value, late))
        }
        placeholder(for: wish, .unavailable(late), reply)
    }

    private func stale(_ old: CacheEntry, _ error: FetchError) -> Answer {
        metrics.cacheResults.add(.stale)
        return Answer(
            picture: old.picture, state: .staleIfError(error),
            ageSeconds: old.ageSeconds(now: clock.now()))
    }

    /// The nearest other cached size of the poster, larger ones first; perhaps expired.
    private func otherSize(for wish: Wish) -> (entry: CacheEntry, size: PosterSize)? {
        guard let path = wish.path else { return nil }
        let wanted =
            switch wish.rendition {
            case .poster(let size): size
            case .thumbnail(let variant): variant.wantedSize
            }
        let larger = PosterSize.allCases.filter { $0 > wanted }
        let smaller = PosterSize.allCases.filter { $0 < wanted }.reversed()
        for size in larger + smaller {
            if let found = lookUp(.poster(path, size)) { return (found.entry, size) }
        }
        return nil
    }

    /// A thumbnail of the other size; for a whole poster, one as wide as the size that was asked
    /// for. It is not kept: the next wish asks for the right one again.
    private func derive(
        _ wish: Wish, from other: (entry: CacheEntry, size: PosterSize), _ error: FetchError,
        _ absence: Absence, _ reply: @escaping @Sendable (Answer) -> Void
    ) {
        let limits = configuration.imageLimits
        let isQueued = pixels.submit(wish.priority) { worker in
            do throws(ImageError) {
                guard let variant = wish.rendition.derivedVariant else {
                    throw .codec("no such variant")
                }
                let bytes = try worker.thumbnails(
                    of: other.entry.picture.bytes, as: [variant], limits: limits
                ) { tint in wish.path.map { self.note(tint, of: $0) } }
                guard let bytes = bytes.first else { throw .codec("no thumbnail was made") }
                self.metrics.cacheResults.add(.derived)
                reply(
                    Answer(
                        picture: Picture(
                            bytes: bytes, format: variant.format, made: other.entry.picture.made),
                        state: .derived(error),
                        ageSeconds: other.entry.ageSeconds(now: self.clock.now()), isStored: false))
            } catch { self.placeholder(for: wish, absence, reply) }
        }
        if !isQueued { placeholder(for: wish, absence, reply) }
    }

    private func placeholder(
        for wish: Wish, _ absence: Absence, _ reply: @escaping @Sendable (Answer) -> Void
    ) {
        let kind = absence.placeholderKind
        metrics.cacheResults.add(
            kind == .missing ? .placeholderMissing : .placeholderUnavailable)
        let answer = { @Sendable (picture: Picture?) in
            reply(Answer(picture: picture, state: .absent(absence), isStored: false))
        }
        guard wish.drawsPlaceholder else { return answer(nil) }
        titled(wish) { wish in
            guard let request = wish.placeholder(kind) else { return answer(nil) }
            self.placeholder(request, answer)
        }
    }

    /// The wish with the title that lists have for its poster, where it brings none of its own.
    /// Calls `next` once; at once unless lists came that must be read first.
    private func titled(_ wish: Wish, _ next: @escaping @Sendable (Wish) -> Void) {
        guard wish.title == nil, let path = wish.path else { return next(wish) }
        let titled = { @Sendable in
            var titled = wish
            titled.title = self.titles.title(of: path)
            next(titled)
        }
        guard titles.isBehind else { return titled() }
        let isQueued = pixels.submit(wish.priority) { _ in
            self.titles.catchUp()
            titled()
        }
        if !isQueued { titled() }
    }

    /// Draws a placeholder, or takes it from memory: calls `reply` once, from some thread.
    /// `nil`: the machine is too busy to draw, or could not.
    public func placeholder(
        _ request: PlaceholderRequest, _ reply: @escaping @Sendable (Picture?) -> Void
    ) {
        if let kept = placeholders.value(for: request) { return reply(kept.value) }
        let isQueued = pixels.submit(.live) { worker in
            do throws(ImageError) {
                let picture = Picture(
                    bytes: try worker.placeholder(request), format: request.format,
                    made: self.clock.now())
                self.placeholders.insert(
                    request, picture, bytes: picture.bytes.count, checked: self.clock.instant())
                reply(picture)
            } catch {
                self.metrics.decodeRejects.add(error.reason)
                reply(nil)
            }
        }
        if !isQueued { reply(nil) }
    }
}

extension Wish {
    /// The placeholder of the size that the picture would have had; `nil` when its title cannot
    /// be shown.
    func placeholder(_ kind: PlaceholderRequest.Kind) -> PlaceholderRequest? {
        let (width, height): (Int, Int)
        var (format, quality) = (ImageFormat.jpeg, ThumbnailVariant.defaultQuality)
        switch rendition {
        case .poster(let size): (width, height) = (size.width, size.usualHeight)
        case .thumbnail(let variant):
            (width, height) = variant.usualSize
            (format, quality) = (variant.format, variant.quality)
        }
        do throws(PlaceholderRequestError) {
            return try PlaceholderRequest(
                width: width, height: height, kind: kind, title: title,
                seed: path?.name ?? title ?? "", format: format, quality: quality)
        } catch { return nil }
    }
}

extension Wish.Rendition {
    /// The thumbnail that another size is made into, to stand in for this one.
    fileprivate var derivedVariant: ThumbnailVariant? {
        do throws(ThumbnailVariantError) {
            switch self {
            case .poster(let size): return try ThumbnailVariant(width: size.width, height: nil)
            case .thumbnail(let variant): return variant
            }
        } catch { return nil }
    }
}

extension ThumbnailVariant {
    /// Pixels of the box, with the free side as a 2:3 poster has it.
    var usualSize: (width: Int, height: Int) {
        let width = width ?? max(1, min(Self.maxWidth, ((height ?? 1) * 2 + 1) / 3))
        return (width, height ?? max(1, min(Self.maxHeight, (width * 3 + 1) / 2)))
    }
}
