import CMalloc
import PosterBase

/// Settings of glibc's allocator (mallopt(3)), made before any thread starts.
enum Allocator {
    static func configure() {
        // One heap for each core, at least two, instead of up to eight a core. What a thread frees
        // stays with its heap, and pictures are made by one thread and dropped by another: after
        // minutes of mixed traffic two heaps hold 114 MB where fifteen hold 157.
        _ = mallopt(M_ARENA_MAX, Int32(clamping: max(2, onlineCores())))
        // Memory for a large picture comes from the kernel and goes back to it. By default glibc
        // raises this threshold to the size of each large block that is freed, takes the next one
        // from a heap, and keeps the heap: after forty grey pictures of 20 megapixels the process
        // held 650 MB, and with this setting 45.
        _ = mallopt(M_MMAP_THRESHOLD, 1 << 20)
        // What a heap keeps at its end for the next request, so that ordinary pictures do not ask the
        // kernel each time.
        _ = mallopt(M_TRIM_THRESHOLD, 8 << 20)
    }
}
