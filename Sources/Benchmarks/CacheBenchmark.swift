import Amodb
import Glibc
import PosterCache
import PosterImages
import PosterKit

/// Measures the disk stage beside the plain system calls that it stands on: stores beside
/// open, write, fsync and rename, and hits beside open, fstat, read and close, of the same bytes on
/// the same disk, in turn.
///
/// Prints one tab-separated line a job: operations a second and CPU microseconds each, ours and
/// plain, and the ratios of ours to plain. Works in a new folder in the directory that is named.
func measureCache(_ arguments: [String]) throws {
    guard arguments.count == 1 else {
        print("usage: Benchmarks cache DIR")
        return
    }
    let folder = "\(arguments[0])/onesheet-benchmark.\(getpid())"
    guard mkdir(folder, 0o755) == 0 else {
        print("cannot make \(folder): \(String(cString: strerror(errno)))")
        return
    }
    let bench = try CacheBench(folder)
    print("job\tours/s\tplain/s\trate\tours CPU µs\tplain CPU µs\tCPU")
    try bench.compare("store", rounds: 5, bench.store, bench.storePlain)
    try bench.compare("hit, first of a process", rounds: 15, bench.readAnew, bench.readPlain)
    try bench.compare("hit", rounds: 15, bench.read, bench.readPlain)
    bench.cleanUp()
}

/// The same pictures as entries of a cache and as plain files.
private final class CacheBench {
    private static let count = 400
    /// A w185 poster's, and a large thumbnail's.
    private static let bytes = 24 << 10

    private let folder: String
    private var cache: DiskCache
    private let keys: [EntryKey]
    private let entry: CacheEntry
    private let names: [String]
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)

    init(_ folder: String) throws {
        self.folder = folder
        cache = try Self.open(folder)
        keys = try (0..<Self.count).map { .poster(try PosterPath("/Ab\($0).jpg"), .w185) }
        var body = (0..<Self.bytes).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        body.replaceSubrange(0..<3, with: [0xFF, 0xD8, 0xFF])
        entry = CacheEntry(
            picture: Picture(bytes: body, format: .jpeg, made: .now()), validated: .now())
        names = (0..<Self.count).map { "\(folder)/plain/Ab\($0).jpg" }
        mkdir("\(folder)/plain", 0o755)
    }

    private static func open(_ folder: String) throws -> DiskCache {
        try DiskCache(directory: "\(folder)/cache", log: .silent, metrics: CacheMetrics())
    }

    func store() throws { for key in keys { try cache.write(key, entry) } }

    func storePlain() {
        for name in names {
            let file = Glibc.open("\(name).new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
            let written = entry.picture.bytes.withUnsafeBytes {
                Glibc.write(file, $0.baseAddress, $0.count)
            }
            guard written == Self.bytes, fsync(file) == 0, close(file) == 0,
                rename("\(name).new", name) == 0
            else { fatalError("cannot write \(name)") }
        }
    }

    func read() {
        for key in keys {
            guard case .entry = cache.read(key) else { fatalError("\(key) is gone") }
        }
    }

    /// With a cache that has seen no file yet, and so checks every body.
    func readAnew() throws {
        cache = try Self.open(folder)
        read()
    }

    func readPlain() {
        for name in names {
            let file = Glibc.open(name, O_RDONLY | O_CLOEXEC)
            var status = stat()
            guard fstat(file, &status) == 0,
                Glibc.read(file, &buffer, buffer.count) == Self.bytes, close(file) == 0
            else { fatalError("cannot read \(name)") }
        }
    }

    /// Runs both in turn, and prints a line.
    func compare(
        _ job: String, rounds: Int, _ ours: @escaping () throws -> Void,
        _ plain: @escaping () throws -> Void
    ) throws {
        let medians = try medianTimes(rounds: rounds, [ours, plain])
        let wall = medians.map { $0.wall / Double(Self.count) }
        let cpu = medians.map { $0.cpu / Double(Self.count) }
        let columns = [
            1e6 / wall[0], 1e6 / wall[1], wall[1] / wall[0], cpu[0], cpu[1], cpu[0] / cpu[1],
        ]
        let texts = columns.map { "\(($0 * 100).rounded() / 100)" }
        print("\(job)\t\(texts.joined(separator: "\t"))")
    }

    /// Removes what was made.
    func cleanUp() {
        for key in keys { unlink("\(folder)/cache/\(key)") }
        for name in names { unlink(name) }
        let folders = [
            "plain", "cache/posters/w185/Ab", "cache/posters/w185", "cache/posters", "cache/thumbs",
            "cache/lists", "cache/hosts", "cache/tmp",
        ]
        for name in folders { rmdir("\(folder)/\(name)") }
        unlink("\(folder)/cache/CACHEDIR.TAG")
        rmdir("\(folder)/cache")
        rmdir(folder)
    }
}
