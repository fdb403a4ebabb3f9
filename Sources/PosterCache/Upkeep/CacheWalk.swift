import Amodb
import Glibc
import PosterBase
import PosterImages

/// One pass over all that lies in a cache, file by file, in the file systems' own order.
///
/// Memory grows with the number of folders, not of files. Links are not followed, nothing outside
/// the cache's own folders is opened, nor what is mounted on one of them.
struct CacheWalk {
    /// What the files of a folder are to the cache.
    enum Role: Equatable {
        case entry(EntryKey.Kind)
        case list
        case temporary
    }

    /// A folder on the way to files, open.
    struct Folder {
        /// Relative to the cache: `posters/w342`.
        let path: String
        let directory: Directory

        /// The last part of the path.
        var name: String { path.split(separator: "/").last.map(String.init) ?? path }
    }

    /// A folder that holds files, not open: there may be thousands.
    struct Part {
        let role: Role
        let parent: Folder
        let name: String

        /// Relative to the cache: `posters/w342/Ab`.
        var path: String { parent.path.isEmpty ? name : "\(parent.path)/\(name)" }

        /// `lists/`, in a cache.
        static func lists(in root: Directory) -> Part {
            Part(.list, in: Folder(path: "", directory: root), .lists)
        }

        fileprivate init(_ role: Role, in root: Folder, _ folder: CacheDirectory.Folder) {
            self.init(role: role, parent: root, name: folder.rawValue)
        }

        init(role: Role, parent: Folder, name: String) {
            (self.role, self.parent, self.name) = (role, parent, name)
        }
    }

    /// A file, during a visit.
    struct Item {
        let part: Part
        let directory: Directory
        let name: UnsafePointer<CChar>
        let status: FileStatus

        var role: Role { part.role }
        var path: String { "\(part.path)/\(String(cString: name))" }
    }

    private let root: Folder
    /// Things that are not the cache's own: files, links, folders (not what they hold).
    private(set) var foreign = 0
    /// Folders on which another file system is mounted; counted as foreign, too.
    private(set) var mounts: [String] = []
    /// Folders and files that could not be looked at.
    private(set) var failures: [FileError] = []

    init(_ root: Directory) { self.root = Folder(path: "", directory: root) }

    /// Visits every file of the cache's own. `isEnded` is asked before each folder; `true` ends
    /// the pass there.
    mutating func run(isEnded: () -> Bool = { false }, _ visit: (Item) -> Void) {
        for part in parts() {
            guard !isEnded() else { return }
            look(through: part, visit)
        }
    }

    /// The longest file that the cache writes. What is longer is none of its own, and sums of what
    /// is shorter cannot overflow.
    private static let maxFileSize = SealedFiles.maxBodyLength + Seal.maxLength

    /// All folders that hold files of the cache's own; what lies beside them counts as foreign.
    mutating func parts() -> [Part] {
        var parts = EntryKey.Kind.allCases.flatMap { shards($0) }
        parts.append(Part(.list, in: root, .lists))
        parts.append(Part(.temporary, in: root, .tmp))
        _ = names(of: root) { name in
            name == CacheTag.name || name == PruneRecord.name
                || CacheDirectory.Folder(rawValue: name) != nil
        }
        return parts
    }

    /// The folders of entries of a kind.
    mutating func shards(_ kind: EntryKey.Kind) -> [Part] {
        renditions(kind).flatMap { middle in
            names(of: middle, EntryKey.isShard).map {
                Part(role: .entry(kind), parent: middle, name: $0)
            }
        }
    }

    /// The middle folders of a kind.
    mutating func renditions(_ kind: EntryKey.Kind) -> [Folder] {
        guard let top = top(kind) else { return [] }
        return renditionNames(of: kind, in: top).compactMap { folder($0, in: top) }
    }

    /// The top folder of a kind; `nil` when there is none.
    mutating func top(_ kind: EntryKey.Kind) -> Folder? { folder(kind.rawValue, in: root) }

    /// The names of the middle folders in the top folder of a kind.
    mutating func renditionNames(of kind: EntryKey.Kind, in top: Folder) -> [String] {
        names(of: top) { kind.hasRendition($0) }
    }

    /// Visits the files of a folder that are the cache's own. Returns whether there is a folder,
    /// and nothing at all in it.
    @discardableResult
    mutating func look(through part: Part, _ visit: (Item) -> Void) -> Bool {
        guard let directory = open(part) else { return false }
        let isOwn = part.nameRule
        var isEmpty = true
        do {
            try directory.forEachName { (name, isDirectory) throws(FileError) in
                isEmpty = false
                guard !isDirectory, isOwn(name) else {
                    foreign += 1
                    return
                }
                do throws(FileError) {
                    guard let status = try directory.status(name) else { return }
                    guard status.kind == .regular, status.size <= Self.maxFileSize else {
                        foreign += 1
                        return
                    }
                    visit(Item(part: part, directory: directory, name: name, status: status))
                } catch { failures.append(error) }
            }
        } catch {
            failures.append(error)
            return false
        }
        return isEmpty
    }

    /// How many names in a folder are the cache's own, by the names alone. A folder that cannot be
    /// read has none.
    static func count(in part: Part) -> Int {
        let isOwn = part.nameRule
        var count = 0
        do {
            try part.parent.directory.directory(part.name).forEachName { name, isDirectory in
                if !isDirectory && isOwn(name) { count += 1 }
            }
        } catch { return count }
        return count
    }

    /// The directory of a part; `nil` when it is gone, or something else has its name.
    mutating func open(_ part: Part) -> Directory? {
        open(part.name, path: part.path, in: part.parent.directory)
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

    private mutating func folder(_ name: String, in parent: Folder) -> Folder? {
        let path = parent.path.isEmpty ? name : "\(parent.path)/\(name)"
        return open(name, path: path, in: parent.directory).map {
            Folder(path: path, directory: $0)
        }
    }

    private mutating func open(
        _ name: String, path: String, in parent: Directory
    ) -> Directory? {
        do { return try parent.directoryOfSameMount(name) } catch {
            if error.code == EXDEV {
                foreign += 1
                mounts.append(path)
            } else if error.isPlanted {
                foreign += 1
            } else if !error.isMissing {
                failures.append(error)
            }
            return nil
        }
    }
}

extension CacheWalk.Part {
    /// Which names in it are the cache's own.
    fileprivate var nameRule: (UnsafePointer<CChar>) -> Bool {
        switch role {
        case .entry:
            let shard = Array(name.utf8)
            return { EntryKey.isFileName($0, inShard: shard) }
        case .list: return { SealedPlace.isListName(String(cString: $0)) }
        case .temporary: return { TemporaryFile.isName(String(cString: $0)) }
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
        return endings.contains { $0.elementsEqual(bytes[(dot + 1)...]) }
    }

    private static let endings = PosterPath.FileExtension.allCases.map { Array($0.rawValue.utf8) }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
