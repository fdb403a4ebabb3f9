import CMalloc
import PosterBase
import PosterKit

/// How many heaps glibc spreads the threads over (mallopt(3), `M_ARENA_MAX`).
enum MemoryArenas {
    /// One for each core, at least two, instead of up to eight a core; before any thread starts.
    ///
    /// What a thread frees stays with its heap, and pictures are made by one and dropped by
    /// another: after minutes of mixed traffic two heaps hold 114 MB where fifteen hold 157.
    static func limit() { _ = mallopt(M_ARENA_MAX, Int32(clamping: max(2, onlineCores()))) }
}
