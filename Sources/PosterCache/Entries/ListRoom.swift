import PosterBase

/// The bytes that lists may take on the disk, and what goes when there is no room for a new one:
/// those used longest ago, down to seven eighths.
///
/// The files are the index. They are looked at whenever a list is to be written; but while there is
/// much room, once a second or for each 64th of the whole. A look leaves a sixteenth free, so that
/// up to five processes, which do not see each other's last lists, stay within the whole. Blocks for
/// the disk.
final class ListRoom: Sendable {
    private struct Count {
        /// At the last look, and what this process has added since.
        var bytes: Int
        var added = 0
        let looked: ContinuousClock.Instant
    }

    /// How long a count is believed: other processes write, too.
    private static let countedFor = Duration.seconds(1)
    /// File systems hand out whole blocks.
    private static let block = 4096

    private let directory: CacheDirectory
    private let capacity: Int
    private let count = Monitor<Count?>(nil)

    init(_ directory: CacheDirectory, capacity: Int) {
        self.directory = directory
        self.capacity = max(0, capacity)
    }

    /// Makes room for a file of so many bytes. `false` when the whole room is too small for it, or
    /// nothing could be removed just now.
    func makeRoom(for bytes: Int, now: Timestamp) -> Bool {
        let needed = Self.cost(size: bytes, allocated: 0)
        guard needed <= capacity else { return false }
        let fits = count.withLock { count in
            guard let known = count, known.looked + Self.countedFor > .now,
                known.added + needed <= capacity / 64, known.bytes + needed <= capacity / 8 * 7
            else { return false }
            count?.bytes += needed
            count?.added += needed
            return true
        }
        guard !fits else { return true }
        let left = evict(for: needed, now: now)
        let hasRoom = left <= capacity - needed
        count.withLock { $0 = Count(bytes: hasRoom ? left + needed : left, looked: .now) }
        return hasRoom
    }

    /// Removes what must go, and gives the bytes that stay.
    private func evict(for needed: Int, now: Timestamp) -> Int {
        var lists: [EntryRemoval.Victim] = []
        var total = 0
        let root = directory.root()
        var walk = CacheWalk(root)
        walk.look(through: .lists(in: root)) { item in
            lists.append(
                EntryRemoval.Victim(name: String(cString: item.name), status: item.status))
            total += Self.cost(of: item.status)
        }
        guard total > capacity / 16 * 15 - needed else { return total }
        let rule = EvictionRule(policy: Prune.Policy(maxAge: .zero), now: now)
        lists.sort { rule.recency(.list, $0.status) < rule.recency(.list, $1.status) }
        let least = max(0, min(capacity - needed, capacity / 8 * 7))
        var victims: [EntryRemoval.Victim] = []
        var goal = total
        for list in lists where goal > least {
            victims.append(list)
            goal -= Self.cost(of: list.status)
        }
        do {
            guard let folder = try directory.folder([CacheDirectory.Folder.lists.rawValue]) else {
                return 0
            }
            EntryRemoval.remove(victims, in: folder) { victim, result in
                switch result {
                case .success(.removed), .success(.gone): total -= Self.cost(of: victim.status)
                case .success(.changed), .failure: break
                }
            }
        } catch {
            // What cannot be removed now is tried with the next list.
        }
        return total
    }

    private static func cost(of status: FileStatus) -> Int {
        cost(size: status.size, allocated: status.allocated)
    }

    /// A file's bytes in whole blocks, or what it takes of the disk if that is more.
    private static func cost(size: Int, allocated: Int) -> Int {
        // A sparse file may claim any size; sums of these must not overflow.
        let size = min(size, 1 << 40)
        return min(max((size + block - 1) / block * block, allocated), 1 << 40)
    }
}
