import PosterBase
package import PosterImages

/// Quick looks whether something is there. A disk that does not say has nothing.
extension DiskCache {
    /// Whether an entry has a file, sound or not.
    package func has(_ key: EntryKey) -> Bool { has(key.description) }

    /// Whether thumbnails of a variant were ever kept.
    package func hasFolder(of variant: ThumbnailVariant) -> Bool {
        has("\(EntryKey.Kind.thumbs.rawValue)/\(variant)")
    }

    private func has(_ path: String) -> Bool {
        do throws(FileError) { return try files.directory.root().hasFile(path) } catch {
            return false
        }
    }
}
