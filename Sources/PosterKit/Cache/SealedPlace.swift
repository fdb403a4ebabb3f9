import Amodb

/// Where a sealed file lies below the cache directory, and the key that its seal must bear.
struct SealedPlace: Sendable {
    /// The folders down to it, outermost first.
    let folders: [String]
    /// Its name in the last of them.
    let name: String
    /// What its seal is bound to.
    let key: String

    /// An entry's place is its key's spelling.
    init(_ key: EntryKey) {
        folders = [key.kind.rawValue, key.rendition, key.shard]
        name = key.path.fileName
        self.key = key.description
    }

    /// A list's name is the hash of its request, which may hold any character and be long.
    init(list request: String) {
        folders = [CacheDirectory.Folder.lists.rawValue]
        name = "\(ContentHash(of: Array(request.utf8))).json"
        key = request
    }

    /// Whether a name in `lists/` is one of the cache's own.
    static func isListName(_ name: String) -> Bool {
        let digits = name.utf8.dropLast(5)
        return name.hasSuffix(".json") && digits.count == 32
            && digits.allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 }
    }
}
