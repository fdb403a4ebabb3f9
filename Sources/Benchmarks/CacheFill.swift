import Amodb
import PosterCache
import PosterImages
import PosterKit

/// Fills a cache with entries whose seals are right, for what reads one whole: `scripts/bench-verify`.
///
/// Names, and so shards, are spread as upstream's are. Bodies begin as a JPEG does and hold noise.
func fillCache(_ arguments: [String]) throws {
    guard arguments.count == 2, let count = Int(arguments[1]), count > 0 else {
        print("usage: Benchmarks fill DIR ENTRIES")
        return
    }
    let cache = try DiskCache(directory: arguments[0], log: .silent, metrics: CacheMetrics())
    var random = SystemRandomNumberGenerator()
    let thumbnail = try ThumbnailVariant(width: 120, height: 180)
    // About what the fixtures take: a thumbnail, and a poster of each size.
    let kinds: [(bytes: Int, key: (PosterPath) -> EntryKey)] = [
        (7 << 10, { .thumbnail($0, thumbnail) }), (20 << 10, { .poster($0, .w185) }),
        (40 << 10, { .poster($0, .w342) }), (60 << 10, { .poster($0, .w500) }),
    ]
    var noise = (0..<(64 << 10)).map { _ in UInt8.random(in: 0...255, using: &random) }
    noise.replaceSubrange(0..<3, with: [0xFF, 0xD8, 0xFF])
    let pictures = kinds.map { kind in
        Picture(bytes: Array(noise.prefix(kind.bytes)), format: .jpeg, made: .now())
    }
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
    for number in 0..<count {
        let name = String((0..<27).map { _ in letters[Int.random(in: 0..<62, using: &random)] })
        let kind = number % kinds.count
        let entry = CacheEntry(picture: pictures[kind], validated: .now())
        try cache.write(kinds[kind].key(try PosterPath("/\(name).jpg")), entry)
    }
}
