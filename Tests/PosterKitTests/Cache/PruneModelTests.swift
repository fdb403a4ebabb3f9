import Amodb
import Foundation
import Testing
import TestSupport

@testable import PosterCache
@testable import PosterImages
@testable import PosterKit

/// Generated caches, pruned by the program and by a model that sorts everything in memory.
@Suite struct PruneModelTests {
    /// A file of a generated cache.
    private struct Item {
        enum Kind { case poster, thumbnail, list }

        var path: String
        var kind: Kind
        /// The poster's file name, for posters and thumbnails.
        var name: String
        var age: Int64
        var use: Int64
        var isSealed: Bool
        var size = 0
        var inode: UInt64 = 0
    }

    private let fixture = CacheFixture()
    private static let day: Int64 = 86_400

    /// Writes a cache of some films, most of them in few shards, with few distinct times of use.
    private func fill(_ random: inout SplitMix) throws -> [Item] {
        let cache = try fixture.openUnsynced()
        let lists = ListCache(cache.files)
        var items: [Item] = []
        let boxes = [60, 120, 180].prefix(Int.random(in: 0...3, using: &random))
        for film in 0..<Int.random(in: 1...12, using: &random) {
            let path = try PosterPath("/\(["Ab", "Cd", "E"][film % 3])\(film).jpg")
            var keys = [PosterSize.w185, .w342, .w500].filter { _ in
                random.next() % 3 > 0
            }.map { EntryKey.poster(path, $0) }
            for box in boxes where random.next() % 2 == 0 {
                let variant = try ThumbnailVariant(width: box, height: box * 3 / 2)
                keys.append(.thumbnail(path, variant))
            }
            for key in keys {
                let isPoster = key.kind == .posters
                items.append(
                    Item(
                        path: key.description, kind: isPoster ? .poster : .thumbnail,
                        name: path.fileName, age: Int64.random(in: 0...39, using: &random),
                        use: Int64.random(in: 0...9, using: &random) * 1000,
                        isSealed: random.next() % 8 > 0))
                let count = Int.random(in: 20...6000, using: &random)
                let bytes = CacheFixture.jpeg(count)
                if items[items.count - 1].isSealed {
                    try cache.write(key, fixture.entry(bytes))
                } else {
                    try fixture.plant(bytes, at: key)
                }
            }
        }
        for number in 0..<Int.random(in: 0...5, using: &random) {
            let body = Array("{\"n\":\(number)}".utf8)
            try lists.write("/l\(number)", ListCache.Kept(body: body, fetched: fixture.now))
            items.append(
                Item(
                    path: SealedPlace(list: "/l\(number)").path, kind: .list, name: "",
                    age: Int64.random(in: 0...1, using: &random),
                    use: Int64.random(in: 0...9, using: &random) * 1000, isSealed: true))
        }
        for index in items.indices {
            let item = items[index]
            fixture.setAge(item.path, modified: item.age * Self.day, accessed: item.use)
            var status = stat()
            #expect(lstat("\(fixture.path)/\(item.path)", &status) == 0)
            items[index].size = Int(status.st_size)
            items[index].inode = UInt64(status.st_ino)
        }
        return items
    }

    /// What a prune deletes, and what it leaves.
    private func model(
        _ items: [Item], _ policy: Prune.Policy
    ) -> (deleted: Set<String>, bytes: Int, entries: Int) {
        var (left, deleted) = (items, Set<String>())
        let days = policy.maxAge.components.seconds / Self.day
        let expired = left.filter { $0.age >= ($0.kind == .list ? 1 : days) }
        deleted.formUnion(expired.filter(\.isSealed).map(\.path))
        left.removeAll { item in expired.contains { $0.path == item.path } }
        var (bytes, entries) = (left.map(\.size).reduce(0, +), left.count)
        // The last use, in seconds before now.
        func use(_ item: Item) -> Int64 {
            guard item.kind == .poster else { return item.use }
            // Also of those that go for their age.
            return items.filter { $0.kind == .thumbnail && $0.name == item.name }
                .map(\.use).reduce(item.use, min)
        }
        let order = left.sorted { a, b in
            let (first, second) = (use(a), use(b))
            if first != second { return first > second }
            if (a.kind == .poster) != (b.kind == .poster) { return b.kind == .poster }
            return a.inode < b.inode
        }
        for item in order
        where bytes > policy.maxBytes ?? .max || entries > policy.maxEntries ?? .max {
            (bytes, entries) = (bytes - item.size, entries - 1)
            if item.isSealed { deleted.insert(item.path) }
        }
        return (deleted, bytes, entries)
    }

    @Test("what goes is what a model says, whatever fits into memory", arguments: 0..<40)
    func prune(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let items = try fill(&random)
        var policy = Prune.Policy(maxAge: .seconds(30 * Self.day), trustsClock: true)
        let total = items.map(\.size).reduce(0, +)
        if random.next() % 4 > 0 { policy.maxBytes = Int.random(in: 0...total, using: &random) }
        if random.next() % 3 == 0 {
            policy.maxEntries = Int.random(in: 0...items.count, using: &random)
        }
        let bounds = PruneSweep.Bounds(
            exactUses: [0, 3, 100][Int(random.next() % 3)], expired: [0, 2, 100][Int(seed % 3)],
            batch: [1, 2, 100][Int(random.next() % 3)])
        let expected = model(items, policy)
        for isDryRun in [true, false] {
            policy.isDryRun = isDryRun
            var deleted: [String] = []
            let summary = try Prune.run(fixture.path, policy, now: fixture.now, bounds: bounds) {
                deleted.append($0)
            }
            // More of one moment than are remembered go together.
            if bounds.exactUses == 100 {
                #expect(Set(deleted) == expected.deleted, "seed \(seed)")
                #expect(
                    summary.bytesLeft == expected.bytes && summary.entriesLeft == expected.entries)
            } else {
                #expect(Set(deleted).isSuperset(of: expected.deleted), "seed \(seed)")
            }
            #expect(deleted.count == Set(deleted).count && deleted.count == summary.deleted)
            #expect(summary.bytesLeft <= policy.maxBytes ?? .max)
            #expect(summary.entriesLeft <= policy.maxEntries ?? .max)
            #expect(summary.isComplete && summary.examined == items.count)
            #expect(
                items.allSatisfy {
                    fixture.exists($0.path) == (isDryRun || !deleted.contains($0.path))
                })
            // No thumbnail that was there outlives all of its posters.
            let gone = Set(deleted)
            for poster in items where poster.kind == .poster && gone.contains(poster.path) {
                let isOld = poster.age >= 30
                let thumbnails = items.filter {
                    $0.kind == .thumbnail && $0.name == poster.name && $0.isSealed
                }
                #expect(isOld || thumbnails.allSatisfy { gone.contains($0.path) }, "seed \(seed)")
            }
        }
        // Folders without files are gone, but for those that a cache begins with.
        let folders = fixture.home.contents().filter { $0.split(separator: "/").count > 2 }
        let files = Set(fixture.home.files())
        for folder in folders where !files.contains(folder) {
            #expect(files.contains { $0.hasPrefix(folder + "/") }, "\(folder)")
        }
    }
}
