public import PosterFetch
public import PosterImages

/// What a ``PosterStore`` gives for a ``PosterRequest``: a picture that is what was asked for, or
/// the best there is and why.
public struct Answer: Sendable {
    /// What the picture is. Each case is a row of the contract's table of poster states.
    public enum State: Hashable, Sendable {
        /// What was asked for, for `secondsLeft` more seconds.
        case fresh(Source, secondsLeft: Int)
        /// What was asked for, but expired, and upstream fails.
        case staleIfError(FetchError)
        /// Made from another size than the one asked for, which fails.
        case derived(FetchError)
        /// A drawn placeholder, or no picture where none was asked for.
        case absent(Unavailability)
    }

    /// Where a fresh picture came from.
    public enum Source: Hashable, Sendable {
        /// From the memory tier.
        case memory
        /// From a file.
        case disk
        /// From the store that several nodes share; or made now from a poster that came from there.
        case store
        /// A thumbnail made now from a poster that was cached.
        case made
        /// Fetched now, because nothing was cached.
        case fetched
        /// Fetched now, because what was cached had expired and upstream has something new.
        case refetched
        /// Cached and expired, and upstream says that it is unchanged.
        case revalidated
    }

    /// The picture; `nil` when the state is `absent` and the request wanted no placeholder.
    public let picture: Picture?
    /// What it is.
    public let state: State
    /// Whole seconds since it was fetched or last found unchanged; `nil` for a placeholder.
    public let ageSeconds: Int?
    /// Whether the answer came from a job that another request had started.
    public let isCollapsed: Bool
    /// Whether it lies on disk now; a full or read-only disk serves without storing.
    public let isStored: Bool

    /// Puts an answer together.
    public init(
        picture: Picture?, state: State, ageSeconds: Int? = nil, isCollapsed: Bool = false,
        isStored: Bool = true
    ) {
        self.picture = picture
        self.state = state
        self.ageSeconds = ageSeconds
        self.isCollapsed = isCollapsed
        self.isStored = isStored
    }
}
