/// The lists on disk as a whole, whoever asked for them: for those who want to know what lists
/// say of a film. Never changes anything; blocks for the disk.
struct ListFolder: Sendable {
    /// A list's file, and when it came.
    struct Item: Equatable, Sendable {
        let name: String
        let fetched: Timestamp
    }

    private static let name = CacheDirectory.Folder.lists.rawValue

    private let directory: CacheDirectory

    /// The lists in a cache.
    init(_ directory: CacheDirectory) { self.directory = directory }

    /// When a list came or went for the last time, in the file system's time, which nobody can
    /// set back; `nil` when the disk will not say.
    func lastChange() -> Timestamp? {
        do { return try directory.root().status(Self.name)?.changed } catch { return nil }
    }

    /// The lists that came last, the newest first, `limit` at most.
    func newest(_ limit: Int) -> [Item] {
        var items: [Item] = []
        var walk = CacheWalk(directory.root())
        guard let folder = walk.folder(at: Self.name) else { return [] }
        walk.lists(of: folder) { item in
            items.append(Item(name: String(cString: item.name), fetched: item.status.modified))
        }
        items.sort { ($0.fetched, $0.name) > ($1.fetched, $1.name) }
        return Array(items.prefix(limit))
    }

    /// The body of a list; `nil` for one that is gone or does not fit its seal and hash.
    func body(_ name: String) -> [UInt8]? {
        do {
            guard let file = try directory.folder([Self.name])?.open(name) else { return nil }
            let status = try file.status()
            guard status.kind == .regular, status.size <= ListCache.maxBytes + Seal.maxLength
            else { return nil }
            var bytes = try file.read(status.size)
            let seal = try Seal(atEndOf: bytes, fileLength: bytes.count) {
                SealedPlace(list: $0).name == name
            }
            bytes.removeLast(bytes.count - seal.bodyLength)
            return ContentHash(of: bytes) == seal.bodyHash ? bytes : nil
        } catch { return nil }
    }
}
