import Amodb
import Glibc

/// One pass over all that lies in a cache, file by file, in the file systems' own order.
///
/// Memory does not grow with the cache. Links are not followed, and nothing outside the cache's
/// own folders is opened.
struct CacheWalk {
    /// What a file is to the cache, by its place, name and kind.
    enum Role: Equatable {
        case entry(EntryKey.Kind)
        case list
        case temporary
        /// None of the cache's own.
        case foreign
    }

    /// A folder that holds files.
    struct Folder {
        /// Relative to the cache: `posters/w342/Ab`.
        let path: String
        let directory: Directory

        var lastName: Substring { path.split(separator: "/").last ?? "" }
    }

    /// A file, during a visit.
    struct Item {
        let role: Role
        let folder: Folder
        let name: UnsafePointer<CChar>
        let status: FileStatus

        var path: String { "\(folder.path)/\(String(cString: name))" }
    }

    let root: Directory
    /// Asked before each folder of entries; `true` ends the pass there.
    var isEnded: () -> Bool = { false }
    /// Things that are not the cache's own: files, links, folders (not what they hold).
    private(set) var foreign = 0
    /// Folders and files that could not be looked at.
    private(set) var failures: [CacheError] = []

    init(_ root: Directory) { self.root = root }

    /// Visits every file of the cache's own.
    mutating func run(_ visit: (Item) -> Void) {
        for kind in EntryKey.Kind.allCases { entries(kind, visit) }
        if let folder = folder(at: CacheDirectory.Folder.lists.rawValue) {
            lists(of: folder, visit)
        }
        if let folder = folder(at: CacheDirectory.Folder.tmp.rawValue) {
            look(through: folder, as: .temporary, visit) {
                TemporaryFile.isName(String(cString: $0))
            }
        }
        _ = names(of: Folder(path: "", directory: root)) { name in
            name == CacheTag.name || CacheDirectory.Folder(rawValue: name) != nil
        }
    }

    /// Calls `body` with each folder of entries.
    mutating func shards(_ kind: EntryKey.Kind, _ body: (inout CacheWalk, Folder) -> Void) {
        for rendition in renditions(kind) {
            guard let middle = folder(at: "\(kind.rawValue)/\(rendition)") else { continue }
            for shard in names(of: middle, EntryKey.isShard) {
                guard !isEnded() else { return }
                guard let folder = open(shard, in: middle) else { continue }
                body(&self, folder)
            }
        }
    }

    /// The middle folders of a kind, by name.
    mutating func renditions(_ kind: EntryKey.Kind) -> [String] {
        guard let top = folder(at: kind.rawValue) else { return [] }
        return names(of: top) { kind.hasRendition($0) }
    }

    /// The folder at a path relative to the cache; `nil` when it is gone, or something else has
    /// its name.
    mutating func folder(at path: String) -> Folder? {
        var folder = Folder(path: "", directory: root)
        for name in path.split(separator: "/") {
            guard let next = open(String(name), in: folder) else { return nil }
            folder = next
        }
        return folder
    }

    /// Visits the entries of one shard.
    mutating func files(of folder: Folder, _ kind: EntryKey.Kind, _ visit: (Item) -> Void) {
        let shard = Array(folder.lastName.utf8)
        look(through: folder, as: .entry(kind), visit) { name in
            EntryKey.isFileName(name, inShard: shard)
        }
    }

    /// Visits the lists.
    mutating func lists(of folder: Folder, _ visit: (Item) -> Void) {
        look(through: folder, as: .list, visit) { SealedPlace.isListName(String(cString: $0)) }
    }

    /// Visits the entries of one kind.
    mutating func entries(_ kind: EntryKey.Kind, _ visit: (Item) -> Void) {
        shards(kind) { walk, folder in walk.files(of: folder, kind, visit) }
    }

    private mutating func look(
        through folder: Folder, as role: Role, _ visit: (Item) -> Void,
        isOwn: (UnsafePointer<CChar>) -> Bool
    ) {
        do {
            try folder.directory.forEachName { (name, isDirectory) throws(CacheError) in
                guard !isDirectory, isOwn(name) else {
                    foreign += 1
                    return
                }
                do throws(CacheError) {
                    guard let status = try folder.directory.status(name) else { return }
                    guard status.kind == .regular else {
                        foreign += 1
                        return
                    }
                    visit(Item(role: role, folder: folder, name: name, status: status))
                } catch { failures.append(error) }
            }
        } catch { failures.append(error) }
    }

    /// The names in a folder that are the cache's own, sorted; the others count as foreign.
    private mutating func names(of folder: Folder, _ isOwn: (String) -> Bool) -> [String] {
        var own: [String] = []
        do {
            try folder.directory.forEachName { name, _ in
                let name = String(cString: name)
                if isOwn(name) { own.append(name) } else { foreign += 1 }
            }
        } catch { failures.append(error) }
        return own.sorted()
    }

    /// A folder in another; `nil` when it is gone, or something else has its name.
    private mutating func open(_ name: String, in folder: Folder) -> Folder? {
        do {
            return Folder(
                path: folder.path.isEmpty ? name : "\(folder.path)/\(name)",
                directory: try folder.directory.directory(name))
        } catch {
            if error.isPlanted {
                foreign += 1
            } else if !error.isMissing {
                failures.append(error)
            }
            return nil
        }
    }
}

extension EntryKey.Kind {
    /// Whether a middle folder of this kind may have this name.
    func hasRendition(_ name: String) -> Bool {
        switch self {
        case .posters: PosterSize(rawValue: name) != nil
        case .thumbs: ThumbnailVariant(name) != nil
        }
    }
}

extension EntryKey {
    /// Whether a folder of this name may hold entries.
    static func isShard(_ name: String) -> Bool {
        (1...2).contains(name.utf8.count) && name.utf8.allSatisfy(isNameByte)
    }

    /// Whether ``init(_:)`` takes this name in this shard; on bytes, because a prune asks it of
    /// every file.
    static func isFileName(_ name: UnsafePointer<CChar>, inShard shard: [UInt8]) -> Bool {
        let bytes = UnsafeRawBufferPointer(start: name, count: strlen(name))
        guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")),
            (shard.count...PosterPath.maxNameLength).contains(dot),
            // A name of one character lies in a shard of one.
            shard.count == 2 || dot == shard.count,
            bytes[..<dot].starts(with: shard), bytes[..<dot].allSatisfy(isNameByte)
        else { return false }
        return PosterPath.FileExtension(
            rawValue: String(decoding: bytes[(dot + 1)...], as: UTF8.self)) != nil
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
