import Glibc
import PosterBase

/// The directory that the cache lives in, with its layout, and the way back to it when it is
/// removed or replaced while it is in use.
package final class CacheDirectory: Sendable {
    /// The folders below it. `hosts` holds what processes share of upstream hosts, `tmp` what
    /// is being written.
    package enum Folder: String, CaseIterable {
        case posters, thumbs, lists, hosts, tmp
    }

    /// As the operator named it.
    let path: String

    private struct State {
        var root: Directory
        var identity: FileStatus.Identity
        var nextLook: ContinuousClock.Instant
        /// Whether it has its tag. Without one nothing else is put there.
        var isTagged = false
    }

    private let state: Monitor<State>
    /// How often it is asked whether the path still leads to the open directory.
    private static let lookInterval = Duration.seconds(1)

    /// Opens the directory, and makes what is missing. Throws when it cannot be opened, when it
    /// holds other things and no tag of this program (`ENOTEMPTY`), when one of its folders is none
    /// or lies on another file system, and when the volume takes names that differ by case for one.
    /// A disk that takes no files is no reason.
    convenience init(making path: String) throws(FileError) {
        if try Directory.status(at: path) == nil { try Directory.make(path) }
        try self.init(existing: path)
        do { try completeLayout() } catch  where error.isDiskRefusal {}
    }

    /// Opens a directory that is there, and changes nothing in it.
    init(existing path: String) throws(FileError) {
        self.path = path
        let root = try Directory(path)
        state = Monitor(
            State(
                root: root, identity: try root.status().identity,
                nextLook: .now + Self.lookInterval))
    }

    /// The directory. Looks once a second whether the path leads to another one by now, or at
    /// once where `looksNow`.
    func root(looksNow: Bool = false) -> Directory {
        let now = ContinuousClock.now
        let (root, isLookDue) = state.withLock { state in
            let isDue = looksNow || now >= state.nextLook
            if isDue { state.nextLook = now + Self.lookInterval }
            return (state.root, isDue)
        }
        return isLookDue ? reopened() : root
    }

    /// The directory that the path leads to now, made if it leads nowhere; the old one when that
    /// fails.
    @discardableResult
    func reopened() -> Directory {
        do { return try remade() } catch { return state.withLock { $0.root } }
    }

    /// As ``reopened()``; throws why it cannot be made.
    private func remade() throws(FileError) -> Directory {
        let known = state.withLock { $0 }
        if try Directory.status(at: path)?.identity == known.identity { return known.root }
        try Directory.make(path)
        let root = try Directory(path)
        let identity = try root.status().identity
        try makeLayout(in: root)
        state.withLock { ($0.root, $0.identity, $0.isTagged) = (root, identity, true) }
        return root
    }

    /// Opens the folder at the end of `names`; `nil` when one of them is missing.
    func folder(_ names: [String]) throws(FileError) -> Directory? {
        var folder = root()
        for name in names {
            do { folder = try folder.directory(name) } catch {
                if error.isMissing { return nil }
                throw error
            }
        }
        return folder
    }

    /// Opens the folder at the end of `names`, and makes what is missing of it.
    func madeFolder(_ names: [String]) throws(FileError) -> Directory {
        if let folder = try folder(names) { return folder }
        // Either only the last of them is missing, or the whole cache is. Where the cache cannot be
        // made, the old directory may still be there under another name.
        var (folder, failure) = (state.withLock { $0.root }, FileError?.none)
        do throws(FileError) { folder = try remade() } catch { failure = error }
        if failure == nil { try completeLayout() }
        do throws(FileError) {
            for name in names {
                try folder.makeDirectory(name)
                folder = try folder.directory(name)
            }
        } catch { throw error.isMissing ? failure ?? error : error }
        return folder
    }

    /// Makes the folders and the tag, where a full disk did not take them yet.
    private func completeLayout() throws(FileError) {
        let (root, isTagged) = state.withLock { ($0.root, $0.isTagged) }
        guard !isTagged else { return }
        try makeLayout(in: root)
        state.withLock { if $0.root === root { $0.isTagged = true } }
    }

    /// The tag comes before all folders but the one that it is written in: a crash in between
    /// leaves no directory that would be taken for another program's.
    private func makeLayout(in root: Directory) throws(FileError) {
        let standing = try CacheTag.standing(in: root)
        if standing == .foreign {
            throw FileError(
                .open, path, code: ENOTEMPTY,
                reason: "it holds other things and no \(CacheTag.name) of this program")
        }
        try makeFolder(.tmp, in: root)
        if standing == .free { try writeTag(in: root) }
        for folder in Folder.allCases where folder != .tmp { try makeFolder(folder, in: root) }
    }

    private func makeFolder(_ folder: Folder, in root: Directory) throws(FileError) {
        var refusal: FileError?
        do { try root.makeDirectory(folder.rawValue) } catch  where error.isDiskRefusal {
            refusal = error
        }
        guard let status = try root.status(folder.rawValue) else {
            if let refusal { throw refusal }
            return
        }
        let place = "\(path)/\(folder.rawValue)"
        guard status.kind == .directory else { throw FileError(.open, place, code: ENOTDIR) }
        guard try status.identity.device == root.status().identity.device else {
            throw FileError(
                .rename, place, code: EXDEV,
                reason: "it lies on another file system than the cache directory")
        }
        if try root.status(folder.rawValue.uppercased())?.identity == status.identity {
            throw FileError(
                .open, place, code: EEXIST,
                reason: "the volume takes names that differ by case for one")
        }
    }

    private func writeTag(in root: Directory) throws(FileError) {
        var new = try TemporaryFile(in: root.directory(Folder.tmp.rawValue))
        try new.file.write(Array(CacheTag.text.utf8))
        try new.file.sync()
        try new.publish(as: CacheTag.name, in: root)
    }
}
