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
        let root = directory.root()
        var walk = CacheWalk(root)
        walk.look(through: .lists(in: root)) { item in
            items.append(Item(name: String(cString: item.name), fetched: item.status.modified))
        }
        items.sort { ($0.fetched, $0.name) > ($1.fetched, $1.name) }
        return Array(items.prefix(limit))
    }

    /// The body of a list; `nil` for one that is gone or does not fit its seal and hash.
    func body(_ name: String) -> [UInt8]? {
        do {
            guard let folder = try directory.folder([Self.name]) else { return nil }
            let file = try SealedFile(
                maxBodyLength: ListCache.maxBytes,
                belongsHere: { SealedPlace(list: $0).name == name },
                opening: { () throws(CacheError) in try folder.open(name) })
            return file.isUnaltered ? file.body : nil
        } catch { return nil }
    }
}
