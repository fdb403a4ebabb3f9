import PosterBase

/// Where a sealed file lies below the cache directory, and the key that its seal must bear.
struct SealedPlace: Sendable {
    /// Relative to the cache.
    let path: String
    /// What its seal is bound to.
    let key: String

    /// An entry's place is its key's spelling.
    init(_ key: EntryKey) {
        self.key = key.description
        path = self.key
    }

    /// A list's name is the hash of its request, which may hold any character and be long.
    init(list request: String) {
        let name = "\(ContentHash(of: Array(request.utf8))).json"
        path = "\(CacheDirectory.Folder.lists.rawValue)/\(name)"
        key = request
    }

    /// The folders down to it, outermost first.
    var folders: [String] { path.split(separator: "/").dropLast().map(String.init) }

    /// Its name in the last of them.
    var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    /// Whether a name in `lists/` is one of the cache's own.
    static func isListName(_ name: String) -> Bool {
        let digits = name.utf8.dropLast(5)
        return name.hasSuffix(".json") && digits.count == 32
            && digits.allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 }
    }
}
