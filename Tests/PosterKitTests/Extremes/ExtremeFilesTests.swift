import Foundation
import Testing
import TestSupport

@testable import PosterBase
@testable import PosterCache
@testable import PosterImages
@testable import PosterKit

/// Files whose times, lengths and seals are the most extreme that a file system or a forger has.
@Suite struct ExtremeFilesTests {
    /// A seal with one of its numbers replaced, and its own hash made right.
    private func seal(_ seal: Seal, at offset: Int, _ number: UInt64, bytes count: Int) -> [UInt8] {
        func littleEndian(_ number: UInt64, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        var fields = Array(seal.bytes.dropLast(24))
        fields.replaceSubrange(offset..<offset + count, with: littleEndian(number, count))
        let hash = ContentHash(of: fields)
        return fields + littleEndian(hash.high, 8) + littleEndian(hash.low, 8)
            + seal.bytes.suffix(8)
    }

    @Test func `a seal with any number in it is read or refused`() {
        let good = Seal(
            key: "posters/w342/Ab/AbCdEf.jpg", bodyLength: 8,
            bodyHash: ContentHash(high: 1, low: 2),
            fetched: Timestamp(seconds: 1), validators: Validators(entityTag: "\"5d\""))
        // Version, length of the body, time, flags, length of the key and of the tag: see Seal.
        let places = [(8, 2), (10, 8), (34, 8), (42, 1), (59, 2), (61 + 26, 2)]
        for number in Extremes.integers.map({ UInt64(bitPattern: $0) }) {
            for (offset, count) in places {
                let bytes = seal(good, at: offset, number, bytes: count)
                for length in [bytes.count, bytes.count + 8, 0, -1, .min, .max] {
                    do throws(Seal.Fault) {
                        let read = try Seal(atEndOf: bytes, fileLength: length) { _ in true }
                        #expect(read.bodyLength >= 0)
                        _ = (HTTPDate.format(read.fetched), read.fetched.systemTime)
                    } catch { continue }
                }
            }
        }
        for length in Extremes.integers {
            var tail = good.bytes
            tail.replaceSubrange(
                tail.count - 8..<tail.count - 4,
                with: (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) })
            #expect(throws: Seal.Fault.self) {
                try Seal(atEndOf: tail, fileLength: Int(length)) { _ in true }
            }
        }
    }

    @Test func `what the system says of a file fits, and so do sums of millions`() {
        for number in Extremes.integers {
            var status = stat()
            (status.st_size, status.st_blocks) = (off_t(number), blkcnt_t(number))
            status.st_mtim = timespec(tv_sec: Int(number), tv_nsec: 999_999_999)
            status.st_atim = timespec(tv_sec: Int(number), tv_nsec: 0)
            status.st_nlink = nlink_t(UInt64(bitPattern: number))
            let read = FileStatus(status)
            #expect((0...1 << 40).contains(read.size))
            #expect((0...1 << 40).contains(read.allocated))
            #expect(read.links >= 0)
        }
    }

    /// A file system in memory keeps every time that there is; others cut them to their own range.
    @Test(.enabled(if: access("/dev/shm", W_OK) == 0))
    func `a cache whose files have every time there is can be looked through and pruned`() throws {
        let folder = "/dev/shm/onesheet-test-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let disk = try DiskCache(directory: folder, log: .silent, metrics: CacheMetrics())
        let now = Timestamp.now()
        var number = 0
        for seconds in Extremes.integers {
            number += 1
            let key = try CacheFixture.poster("Ab\(number)")
            try disk.write(
                key,
                CacheEntry(
                    picture: Picture(bytes: CacheFixture.jpeg(100), format: .jpeg, made: now),
                    validated: now))
            let times = [
                timespec(tv_sec: Int(seconds), tv_nsec: 0),
                timespec(tv_sec: Int(seconds), tv_nsec: 999_999_999),
            ]
            guard utimensat(AT_FDCWD, "\(folder)/\(key)", times, 0) == 0 else { continue }
            let entry = try #require(disk.read(key).entry)
            _ = (entry.freshness(now: now, maxAge: .seconds(60)), entry.ageSeconds(now: now))
            _ = disk.standing(of: key, entry)
            disk.noteUse(of: key, now: now)
            _ = try disk.renew(try CacheFixture.poster("none"), entry, at: entry.validated)
        }
        // Nothing of its length is on the disk.
        let sparse = "\(folder)/posters/w342/Ab/AbSparse.jpg"
        for path in [sparse, sparse.replacing("Sparse", with: "Sparser")] {
            let file = open(path, O_RDWR | O_CREAT, 0o644)
            #expect(ftruncate(file, .max) == 0)
            close(file)
        }
        let statistics = try Statistics.survey(folder, maxAge: .seconds(60), now: now)
        #expect(statistics.rows.reduce(0) { $0 + $1.entries } >= number)
        let verification = try Verification.run(folder, deletesBad: false)
        #expect(verification.bytes > 0)
        let policies = [
            Prune.Policy(maxAge: .seconds(60), isDryRun: true),
            Prune.Policy(maxAge: .seconds(60), maxBytes: 1, minFreeBytes: .max, isDryRun: true),
            Prune.Policy(maxAge: .seconds(3_144_960_000), maxBytes: 0),
        ]
        for policy in policies { _ = try Prune.run(folder, policy, now: now) }
    }

    @Test func `an orientation or a profile is found in any bytes, or none is`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            var bytes = (0..<160).map { _ in UInt8.random(in: 0...255, using: &random) }
            for index in bytes.indices where Bool.random(using: &random) {
                bytes[index] = [0, 0xFF, 0x7F, 0x80].randomElement(using: &random) ?? 0
            }
            bytes.replaceSubrange(0..<4, with: [0x49, 0x49, 0x2A, 0])
            _ = Orientation(tiff: bytes[...])
            bytes.replaceSubrange(0..<4, with: [0x4D, 0x4D, 0, 0x2A])
            _ = Orientation(tiff: bytes[...])
            bytes.replaceSubrange(36..<40, with: "acsp".utf8)
            bytes.replaceSubrange(16..<20, with: "RGB ".utf8)
            _ = ColorProfile(bytes)?.needed(by: .rgb)
        }
    }
}
