import Glibc

/// The lists on disk as a whole, whoever asked for them: for those who want to know what lists
/// say of a film. Never changes anything; blocks for the disk.
struct ListFolder: Sendable {
    /// A list's file, and when it came.
    struct Item: Equatable, Sendable {
        let name: String
        let fetched: Timestamp
    }

    private let directory: CacheDirectory

    /// The lists in a cache.
    init(_ directory: CacheDirectory) { self.directory = directory }

    /// When a list came or went for the last time, in the file system's time, which nobody can
    /// set back; `nil` when the disk will not say.
    func lastChange() -> Timestamp? {
        do { return try folder()?.status().changed } catch { return nil }
    }

    /// The lists that came last, the newest first, `limit` at most.
    func newest(_ limit: Int) -> [Item] {
        var items: [Item] = []
        do {
            guard let folder = try folder() else { return [] }
            try folder.forEachName { (name, _) throws(CacheError) in
                let text = String(cString: name)
                guard SealedPlace.isListName(text), let status = try folder.status(name),
                    status.kind == .regular
                else { return }
                items.append(Item(name: text, fetched: status.modified))
            }
        } catch {}
        items.sort { ($0.fetched, $0.name) > ($1.fetched, $1.name) }
        return Array(items.prefix(limit))
    }

    /// The body of a list; `nil` for one that is gone or does not fit its seal and hash.
    func body(_ name: String) -> [UInt8]? {
        do {
            guard let file = try folder()?.open(name) else { return nil }
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

    private func folder() throws(CacheError) -> Directory? {
        try directory.folder([CacheDirectory.Folder.lists.rawValue])
    }
}
