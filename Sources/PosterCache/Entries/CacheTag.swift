import PosterBase

/// The file that marks a directory as a cache, so that backups leave it out and a prune knows
/// where it is (Cache Directory Tagging Specification 0.6).
enum CacheTag {
    static let name = "CACHEDIR.TAG"
    static let signature = "Signature: 8a477f597d28d172789f06886806bc55"
    static let text = """
        \(signature)
        # This directory is a cache of posters that \(program) can fetch again.
        # See https://bford.info/cachedir/

        """

    private static let program = "Onesheet"
    /// Other programs' tags are longer at times; the name of theirs comes early.
    private static let longestText = 1024

    /// Whether the directory bears this program's tag: the signature, which other programs' caches
    /// have, too, and the program's name or its folder of posters.
    static func isPresent(in root: Directory) throws(FileError) -> Bool {
        guard try root.status(name)?.kind == .regular else { return false }
        let text = String(decoding: try root.open(name).read(longestText), as: UTF8.self)
        guard text.hasPrefix(signature) else { return false }
        if text.contains(program) { return true }
        return try root.status(CacheDirectory.Folder.posters.rawValue)?.kind == .directory
    }

    /// What a directory is to this program.
    enum Standing {
        /// A cache.
        case tagged
        /// None, but it may become one: it is empty, but for what a file system brings along and
        /// for the one folder that is made before the tag is written.
        case free
        /// It holds other things.
        case foreign
    }

    /// What the directory is.
    static func standing(in root: Directory) throws(FileError) -> Standing {
        if try isPresent(in: root) { return .tagged }
        if try holdsNothingElse(root) { return .free }
        // Another process may have made a cache of it between the two looks.
        return try isPresent(in: root) ? .tagged : .foreign
    }

    private static func holdsNothingElse(_ root: Directory) throws(FileError) -> Bool {
        var isFree = true
        try root.forEachName { name, _ in
            let name = String(cString: name)
            if name != "lost+found" && name != CacheDirectory.Folder.tmp.rawValue { isFree = false }
        }
        return isFree
    }
}
