import Amodb
import Foundation
import Testing
import TestSupport

@testable import PosterBase
@testable import PosterCache
@testable import PosterImages
@testable import PosterKit

/// A cache in a directory of its own, and pictures to put into it.
struct CacheFixture {
    let home = TemporaryDirectory()
    let metrics = CacheMetrics()
    let now = Timestamp(seconds: Timestamp.now().seconds)

    var path: String { home.path + "/cache" }

    func open(log: Log = .silent) throws -> DiskCache {
        try DiskCache(directory: path, log: log, metrics: metrics)
    }

    /// As ``open(log:)``, without the fsync of every file: for caches of hundreds of entries.
    func openUnsynced() throws -> DiskCache {
        DiskCache(try SealedFiles(directory: path, log: .silent, metrics: metrics, syncs: false))
    }

    static func poster(_ name: String = "AbCdEf", _ size: PosterSize = .w342) throws -> EntryKey {
        .poster(try PosterPath("/\(name).jpg"), size)
    }

    static func thumbnail(_ name: String = "AbCdEf") throws -> EntryKey {
        .thumbnail(
            try PosterPath("/\(name).jpg"), try ThumbnailVariant(width: 120, height: 180))
    }

    /// Bytes that begin as a JPEG does. No picture: the cache looks no further.
    static func jpeg(_ count: Int = 4000, seed: UInt8 = 1) -> [UInt8] {
        [0xFF, 0xD8, 0xFF]
            + (0..<max(0, count - 3)).map { UInt8(truncatingIfNeeded: $0 &* 31) ^ seed }
    }

    func entry(
        _ bytes: [UInt8] = jpeg(), daysOld: Int64 = 0, validators: Validators = Validators(),
        source: ContentHash? = nil
    ) -> CacheEntry {
        let then = Timestamp(seconds: now.seconds - daysOld * 86_400)
        return CacheEntry(
            picture: Picture(bytes: bytes, format: .jpeg, made: then), validated: then,
            validators: validators, source: source)
    }

    func file(_ key: EntryKey) -> String { "\(path)/\(key)" }

    func contents(_ key: EntryKey) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: file(key))))
    }

    /// Replaces a file by another with these bytes, as a restored backup does.
    func plant(_ bytes: [UInt8], at key: EntryKey) throws {
        let url = URL(fileURLWithPath: file(key))
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        unlink(url.path)
        try Data(bytes).write(to: url)
    }

    func exists(_ relativePath: String) -> Bool {
        var status = stat()
        return lstat("\(path)/\(relativePath)", &status) == 0
    }

    /// Sets a file's times, in seconds before now; negative: in the future.
    func setAge(_ relativePath: String, modified: Int64, accessed: Int64) {
        let times = [accessed, modified].map {
            timespec(tv_sec: Int(now.seconds - $0), tv_nsec: 0)
        }
        #expect(utimensat(AT_FDCWD, "\(path)/\(relativePath)", times, AT_SYMLINK_NOFOLLOW) == 0)
    }
}

extension DiskCache.Lookup {
    var entry: CacheEntry? {
        if case .entry(let entry) = self { entry } else { nil }
    }

    var isAbsent: Bool {
        if case .absent = self { true } else { false }
    }
}
