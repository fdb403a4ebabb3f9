/// The file that marks a directory as a cache, so that backups leave it out and a prune knows
/// where it is (Cache Directory Tagging Specification 0.6).
enum CacheTag {
    static let name = "CACHEDIR.TAG"
    static let signature = "Signature: 8a477f597d28d172789f06886806bc55"
    static let text = """
        \(signature)
        # This directory is a cache of posters that Onesheet can fetch again.
        # See https://bford.info/cachedir/

        """

    /// Whether the directory bears the tag.
    static func isPresent(in root: Directory) throws(CacheError) -> Bool {
        guard try root.status(name)?.kind == .regular else { return false }
        return try root.open(name).read(signature.utf8.count).elementsEqual(signature.utf8)
    }
}
