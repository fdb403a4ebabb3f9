package import PosterBase
package import PosterImages

/// A picture in the cache, and what is known of its age.
package struct CacheEntry: Sendable {
    /// The picture.
    package let picture: Picture
    /// When upstream was last known to have these bytes: the file's mtime. The 30 days run from
    /// here. A thumbnail bears its poster's.
    package let validated: Timestamp
    /// What to ask upstream with when the 30 days are over.
    package let validators: Validators
    /// The hash of the poster that a thumbnail was made from; `nil` for a poster.
    package let source: ContentHash?

    /// Puts an entry together.
    package init(
        picture: Picture, validated: Timestamp, validators: Validators = Validators(),
        source: ContentHash? = nil
    ) {
        self.picture = picture
        self.validated = validated
        self.validators = validators
        self.source = source
    }

    /// How old and so how good an entry is at a moment.
    package enum Freshness: Equatable, Sendable {
        /// For this many more seconds.
        case fresh(secondsLeft: Int)
        /// To be asked for again before it is served; usable when upstream fails.
        case expired
    }

    /// How far ahead of the clock an mtime may be before it counts as wrong: clocks of two
    /// machines that share a tree differ by a little.
    package static let clockTolerance = Duration.seconds(300)

    /// Judges the age at `now`. An mtime in the future (a clock that jumped, a copied tree) is
    /// expired but usable.
    package func freshness(now: Timestamp, maxAge: Duration) -> Freshness {
        guard validated <= now + Self.clockTolerance else { return .expired }
        let left = (validated + maxAge) - now
        return left > .zero ? .fresh(secondsLeft: Int(left.components.seconds)) : .expired
    }

    /// Whole seconds since it was validated, for the `Age` header; never negative.
    package func ageSeconds(now: Timestamp) -> Int {
        max(0, Int((now - validated).components.seconds))
    }
}

extension Validators {
    /// Without a tag that is longer than any seal keeps, and without what is no date or one that
    /// no clock can have had by `now`: upstream would be asked with them again.
    package func usable(now: Timestamp) -> Validators {
        let modified = lastModified.flatMap { HTTPDate.parse($0, now: now) }
        let isPast = modified.map { $0 <= now + CacheEntry.clockTolerance } ?? false
        return Validators(
            entityTag: entityTag.flatMap { $0.utf8.count <= Seal.maxTextLength ? $0 : nil },
            lastModified: isPast ? lastModified : nil)
    }
}
