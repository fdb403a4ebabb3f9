import Amodb
import PosterBase
import PosterCache
import PosterFetch
import PosterImages
import PosterPlaceholders

extension PosterStore {
    /// How long after its deadline a request may be answered at the latest: what is drawn for it
    /// has this time, then it gets a placeholder that is drawn already.
    public static let drawingTime = Duration.milliseconds(250)

    /// Answers a request whose picture cannot be had: with the expired one, else one made from
    /// another size, else a placeholder. A poster that upstream says is gone has only the
    /// placeholder. Replies by `deadline` and ``drawingTime``. Does not block: an alarm calls it,
    /// too.
    func standIn(
        for request: PosterRequest, _ unavailability: Unavailability, old: CacheEntry?,
        _ jobClass: JobClass,
        by deadline: ContinuousClock.Instant?, _ reply: @escaping @Sendable (Answer) -> Void
    ) {
        if case .failed(let error) = unavailability {
            if let old { return reply(stale(old, error)) }
            // No client sees what a prefetch gets, so nothing is made to stand in there.
            if request.priority == .live, let path = request.path, let key = request.key,
                jobClass == .live || shared != nil || tints.value(for: path) != nil
            {
                let once = once(for: request, unavailability, by: deadline, reply)
                return derive(request, key, error, unavailability, once)
            }
        }
        placeholder(
            for: request, unavailability, once(for: request, unavailability, by: deadline, reply))
    }

    /// Answers a request with what is in memory, however long ago it was compared with the disk;
    /// else with a placeholder.
    func answerWithoutDisk(_ request: PosterRequest, _ reply: @escaping @Sendable (Answer) -> Void)
    {
        let late = FetchError(.deadline, "no answer from the cache before the deadline")
        if let key = request.key, let kept = memory.value(for: key) {
            return reply(stale(kept.value, late))
        }
        let unavailability = Unavailability.failed(late)
        placeholder(
            for: request, unavailability, once(for: request, unavailability, by: .now, reply))
    }

    private func stale(_ old: CacheEntry, _ error: FetchError) -> Answer {
        Answer(
            picture: old.picture, state: .staleIfError(error),
            ageSeconds: old.ageSeconds(now: clock.now()))
    }

    /// A reply that is given by `deadline` and ``drawingTime`` in any case.
    private func once(
        for request: PosterRequest, _ unavailability: Unavailability,
        by deadline: ContinuousClock.Instant?,
        _ reply: @escaping @Sendable (Answer) -> Void
    ) -> OnceReply<Answer> {
        let once = OnceReply(reply)
        if let deadline {
            deadlines.schedule(at: max(deadline, .now) + Self.drawingTime) { [weak self] in
                guard let self, let reply = once.take() else { return }
                reply(generic(for: request, unavailability))
            }
        }
        return once
    }

    /// The answer for which nothing is drawn any more.
    private func generic(for request: PosterRequest, _ unavailability: Unavailability) -> Answer {
        guard request.drawsPlaceholder, let drawing = request.placeholder(.unavailable) else {
            return Answer(picture: nil, state: .absent(unavailability), isStored: false)
        }
        // Not the unavailability's own kind: a placeholder says of itself what it shows.
        var state = Answer.State.absent(unavailability)
        if unavailability.placeholderKind != .unavailable {
            state = .absent(.failed(FetchError(.busy, "too much is being drawn already")))
        }
        return Answer(picture: generics.picture(for: drawing), state: state, isStored: false)
    }

    /// The cached poster to make a picture from while upstream fails: an expired one of a size that
    /// the picture is made from in any case (`isItsOwn`), else the nearest other one, larger ones
    /// first. `nil`, too, where a fresh one of the former is there: then no fetch failed, but the
    /// pixel threads have too much to do, and no more is put on them.
    private func source(for request: PosterRequest) -> (poster: CacheEntry, isItsOwn: Bool)? {
        guard let path = request.path else { return nil }
        let own: [PosterSize]
        let wanted: PosterSize
        switch request.rendition {
        case .poster(let size): (own, wanted) = ([], size)
        case .thumbnail(let variant): (own, wanted) = (variant.sources, variant.wantedSize)
        }
        let others = PosterSize.allCases.filter { !own.contains($0) }
        let larger = others.filter { $0 > wanted }
        let smaller = others.filter { $0 < wanted }.reversed()
        for size in own {
            guard let found = lookUp(.poster(path, size)) else { continue }
            return isFresh(found.entry) ? nil : (found.entry, true)
        }
        for size in larger + smaller {
            if let found = lookUp(.poster(path, size)) { return (found.entry, false) }
        }
        return nil
    }

    /// Looks on a pixel thread for a cached size to make the picture from; else a placeholder.
    private func derive(
        _ request: PosterRequest, _ key: EntryKey, _ error: FetchError,
        _ unavailability: Unavailability,
        _ once: OnceReply<Answer>
    ) {
        let isQueued = pixels.submit(.live) { worker in
            guard !once.isGiven else { return }
            guard !self.stop.isRaised else {
                return self.placeholder(for: request, unavailability, once)
            }
            if let old = self.restored(key) { return once.give(self.stale(old, error)) }
            guard let (poster, isItsOwn) = self.source(for: request),
                let variant = request.rendition.derivedVariant
            else {
                return self.placeholder(for: request, unavailability, once)
            }
            let make = { @Sendable (worker: inout ImageWorker) in
                self.derive(request, variant, from: poster, unavailability, once, &worker) {
                    bytes in
                    isItsOwn
                        ? self.keepStale(bytes, key, variant, from: poster, error)
                        : self.derived(bytes, variant, from: poster, error)
                }
            }
            let pixelClass = self.derivedClass(request, variant, from: poster)
            guard pixelClass != .live else { return make(&worker) }
            // What strangers may ask for without end has its own share here, too.
            let isQueued = self.pixels.submit(pixelClass, make)
            if !isQueued { self.placeholder(for: request, unavailability, once) }
        }
        if !isQueued { placeholder(for: request, unavailability, once) }
    }

    /// The class of making a picture from another size. A whole poster's stand-in is in no box that
    /// a client chose.
    private func derivedClass(
        _ request: PosterRequest, _ variant: ThumbnailVariant, from other: CacheEntry
    ) -> JobClass {
        let bytes = other.picture.bytes.count
        if case .poster = request.rendition, !variant.isLarge {
            return pixelClass(.live, [], sourceBytes: bytes)
        }
        return pixelClass(.live, [variant], sourceBytes: bytes)
    }

    /// Makes a thumbnail of a cached poster and replies with what `answer` makes of its bytes.
    private func derive(
        _ request: PosterRequest, _ variant: ThumbnailVariant, from poster: CacheEntry,
        _ unavailability: Unavailability,
        _ once: OnceReply<Answer>, _ worker: inout ImageWorker, _ answer: ([UInt8]) -> Answer
    ) {
        guard !once.isGiven else { return }
        do throws(ImageError) {
            let bytes = try worker.thumbnails(
                of: poster.picture.bytes, as: [variant], limits: configuration.imageLimits
            ) { tint in request.path.map { self.note(tint, of: $0) } }
            guard let bytes = bytes.first else { throw .codec("no thumbnail was made") }
            once.give(answer(bytes))
        } catch { placeholder(for: request, unavailability, once) }
    }

    /// The answer with a thumbnail of the poster that it is made from in any case, which has
    /// expired. It is kept, with its poster's time, so that an outage does not have it made for
    /// each request.
    private func keepStale(
        _ bytes: [UInt8], _ key: EntryKey, _ variant: ThumbnailVariant, from poster: CacheEntry,
        _ error: FetchError
    ) -> Answer {
        let made = entry(of: bytes, variant, from: poster)
        boxes.note(variant)
        _ = keepBeside(key, made)
        return stale(made, error)
    }

    /// The answer with a picture made from another size; for a whole poster, one as wide as the
    /// size that was asked for. It is not kept: the next request asks for the right one again.
    private func derived(
        _ bytes: [UInt8], _ variant: ThumbnailVariant, from poster: CacheEntry, _ error: FetchError
    ) -> Answer {
        Answer(
            picture: Picture(bytes: bytes, format: variant.format, made: poster.picture.made),
            state: .derived(error), ageSeconds: poster.ageSeconds(now: clock.now()),
            isStored: false)
    }

    private func placeholder(
        for request: PosterRequest, _ unavailability: Unavailability, _ once: OnceReply<Answer>
    ) {
        let answer = { @Sendable (picture: Picture?) in
            Answer(picture: picture, state: .absent(unavailability), isStored: false)
        }
        guard request.drawsPlaceholder else { return once.give(answer(nil)) }
        titled(request) { request in
            guard let drawing = request.placeholder(unavailability.placeholderKind) else {
                return once.give(answer(nil))
            }
            if let kept = self.placeholders.value(for: drawing.drawn) {
                return once.give(answer(kept.value))
            }
            let isQueued = self.draw(drawing.drawn, unless: { once.isGiven }) { picture in
                once.give(answer(picture))
            }
            if !isQueued, let reply = once.take() {
                reply(self.generic(for: request, unavailability))
            }
        }
    }

    /// The request with the title that lists have for its poster, where it brings none of its own.
    /// Calls `next` once; at once unless lists came that must be read first.
    private func titled(
        _ request: PosterRequest, _ next: @escaping @Sendable (PosterRequest) -> Void
    ) {
        guard request.title == nil, let path = request.path else { return next(request) }
        let titled = { @Sendable in
            var titled = request
            titled.title = self.titles.title(of: path)
            next(titled)
        }
        // An alarm must not wait for a disk that has been slow.
        guard !pace.isSlow(now: .now), titles.isBehind else { return titled() }
        let isQueued = pixels.submit(.live) { _ in
            self.titles.catchUp()
            titled()
        }
        if !isQueued { titled() }
    }

    /// A placeholder that was asked for as such: calls `reply` once, at once when it is in memory,
    /// else from some thread. When it cannot be drawn by `deadline`, or too many wait to be drawn
    /// already, one that is drawn already comes, of the kind `unavailable`. `nil`: nothing can be
    /// drawn at all.
    public func placeholder(
        _ drawing: PlaceholderRequest, by deadline: ContinuousClock.Instant? = nil,
        _ reply: @escaping @Sendable (DrawnPlaceholder?) -> Void
    ) {
        let drawing = drawing.drawn
        if let kept = placeholders.value(for: drawing) {
            return reply(DrawnPlaceholder(picture: kept.value, kind: drawing.kind))
        }
        let once = OnceReply(reply)
        let isQueued = draw(drawing, unless: { once.isGiven }) { picture in
            once.give(picture.map { DrawnPlaceholder(picture: $0, kind: drawing.kind) })
        }
        let generic = { @Sendable [generics] in
            guard let reply = once.take() else { return }
            let picture = generics.picture(for: drawing)
            reply(picture.map { DrawnPlaceholder(picture: $0, kind: .unavailable) })
        }
        guard isQueued else { return generic() }
        if let deadline { deadlines.schedule(at: deadline, generic) }
    }

    /// Draws a placeholder on a pixel thread and keeps it in memory; `reply` is called once, with
    /// `nil` where drawing fails, or not at all when `isGivenUp` by then. `false` when too many
    /// wait to be drawn already.
    private func draw(
        _ drawing: PlaceholderRequest, unless isGivenUp: @escaping @Sendable () -> Bool,
        _ reply: @escaping @Sendable (Picture?) -> Void
    ) -> Bool {
        pixels.submit(drawing.jobClass) { worker in
            guard !isGivenUp() else { return }
            guard !self.stop.isRaised else { return reply(nil) }
            // Another job may have drawn the same meanwhile.
            if let kept = self.placeholders.value(for: drawing) { return reply(kept.value) }
            do throws(ImageError) {
                let picture = Picture(
                    bytes: try worker.placeholder(drawing), format: drawing.format,
                    made: self.clock.now())
                self.placeholders.insert(
                    drawing, picture, bytes: picture.bytes.count, checked: self.clock.instant())
                reply(picture)
            } catch {
                self.metrics.images.decodeRejects.add(error.reason)
                reply(nil)
            }
        }
    }

    /// Draws what is answered with when there is no time to draw, soon and on another thread. For
    /// who answers clients; without it each is drawn when it is needed first.
    public func prepareGenericPlaceholders() {
        _ = pixels.submit(.background) { [generics] _ in generics.prepare() }
    }
}

/// A placeholder's picture, and which kind it shows.
public struct DrawnPlaceholder: Sendable {
    /// The picture.
    public let picture: Picture
    /// The kind that was asked for; `unavailable` where there was no time to draw.
    public let kind: PlaceholderRequest.Kind
}

extension PosterRequest {
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

extension PosterRequest.Rendition {
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
