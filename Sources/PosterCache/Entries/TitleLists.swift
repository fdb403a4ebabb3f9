package import Amodb
import PosterBase

/// Which of the lists on disk name films for placeholders: the file `hosts/titles`, to which a
/// line is added for each such list that came, by the process that got it.
///
/// A server reads what was added since it last looked, so that lists of other kinds, of which a
/// client may make any number, cost nothing here. Blocks for the disk.
package struct TitleLists: Sendable {
    /// How the file looked at some moment.
    package struct Mark: Equatable, Sendable {
        fileprivate let identity: FileStatus.Identity
        fileprivate let size: Int
    }

    /// The file's name, which no host has.
    static let name = "titles"
    /// Bytes that are read of it at most, the last ones.
    static let maxBytes = 64 << 10
    /// Lists that it names after it was shortened, and films' own answers, of which a visitor may
    /// ask for any number.
    private static let maxLists = 192
    private static let maxFilms = 64

    private static let folder = CacheDirectory.Folder.hosts.rawValue

    private let directory: CacheDirectory

    init(_ directory: CacheDirectory) { self.directory = directory }

    /// How the file looks now; `nil` where there is none, or the disk will not say.
    package func mark() -> Mark? {
        do {
            let path = "\(Self.folder)/\(Self.name)"
            guard let status = try directory.root().fileStatus(at: path), status.kind == .regular
            else { return nil }
            return Mark(identity: status.identity, size: status.size)
        } catch { return nil }
    }

    /// The requests that were added since the file looked like `mark`, each once, in the order in
    /// which they were added last.
    package func requests(since mark: Mark?) -> [String] {
        do {
            let file = try directory.root().openFile(at: "\(Self.folder)/\(Self.name)")
            let status = try file.status()
            guard status.kind == .regular else { return [] }
            var start = 0
            if let mark, mark.identity == status.identity, mark.size <= status.size {
                start = mark.size
            }
            let cut = max(start, status.size - Self.maxBytes)
            var lines = try file.read(status.size - cut, from: cut).split(
                separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            // What begins in the middle of a line, or has no end yet, is no request.
            if cut > start { lines.removeFirst() }
            return Self.distinct(lines.dropLast().map { String(decoding: $0, as: UTF8.self) })
        } catch { return [] }
    }

    /// Adds a request whose list came.
    package func add(_ request: ListRequest) {
        do {
            let folder = try directory.madeFolder([Self.folder])
            let file = try folder.openToAppend(Self.name)
            let status = try file.status()
            guard status.kind == .regular else { return }
            try file.write(Array("\(request)\n".utf8))
            if status.size > Self.maxBytes / 2 { try shorten(in: folder) }
        } catch {
            // The list names no film until it comes again.
        }
    }

    /// Writes the file again without what was added twice. What another process adds meanwhile may
    /// be lost until its list comes again.
    private func shorten(in folder: Directory) throws(FileError) {
        let requests = requests(since: nil)
        let films = Set(requests.filter(Self.isFilm).suffix(Self.maxFilms))
        let lists = Set(requests.filter { !Self.isFilm($0) }.suffix(Self.maxLists))
        // As many as fit well below the size at which it is shortened.
        var (kept, bytes) = ([String](), 0)
        for request in requests.reversed() where films.contains(request) || lists.contains(request)
        {
            bytes += request.utf8.count + 1
            guard bytes <= Self.maxBytes / 4 else { break }
            kept.append(request)
        }
        let tmp = [CacheDirectory.Folder.tmp.rawValue]
        var new = try TemporaryFile(in: directory.madeFolder(tmp))
        let text = kept.reversed().map { $0 + "\n" }.joined()
        try new.file.write(Array(text.utf8))
        try new.publish(as: Self.name, in: folder)
    }

    /// Whether a request asks for one film or series.
    private static func isFilm(_ request: String) -> Bool {
        request.hasPrefix("/movie/") || request.hasPrefix("/tv/")
    }

    private static func distinct(_ requests: [String]) -> [String] {
        var seen: Set<String> = []
        return requests.reversed().filter { seen.insert($0).inserted }.reversed()
    }
}
