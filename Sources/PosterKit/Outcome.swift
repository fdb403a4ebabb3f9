import PosterCache
import PosterFetch
import PosterImages

/// What the job of one key came to, for all who wait for it.
enum Outcome: Sendable {
    /// The entry, as fresh as it gets.
    case hit(CacheHit)
    /// None, and why.
    case absent(Unavailability)

    /// The store takes no more work.
    static let closing = Outcome.absent(
        .failed(FetchError(.closed, "the store is closing")))

    static func busy(_ what: String) -> Outcome {
        .absent(.failed(FetchError(.busy, "too many \(what) wait already")))
    }
}

/// An entry that was found, fetched or made.
struct CacheHit: Sendable {
    let entry: CacheEntry
    let source: Answer.Source
    /// Whether it is on disk.
    let isStored: Bool
    /// For a poster that was fetched now: the thumbnails that the decode made which proved it.
    var thumbnails: [ThumbnailVariant: CacheHit] = [:]
}

/// A body that was decoded whole, and the thumbnails that were made on the way.
struct ProvenPoster: Sendable {
    let picture: Picture
    let thumbnails: [(variant: ThumbnailVariant, bytes: [UInt8])]
}

extension FetchError {
    /// A body that is no whole picture within the limits.
    init(_ error: ImageError) {
        let reason: Reason =
            switch error {
            case .notAnImage, .unsupported: .notAnImage
            case .truncated: .truncatedImage
            case .tooManyBytes: .tooLarge
            case .busy: .busy
            default: .badImage
            }
        self.init(reason, error.description)
    }
}
