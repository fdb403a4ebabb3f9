import Glibc

/// A file that is being written, in `tmp/`; gone unless it was published.
package struct TemporaryFile: ~Copyable {
    package let file: File
    private let folder: Directory
    private let name: String
    private var isPublished = false

    /// Makes a file with a name that no other process and no other thread takes.
    package init(in folder: Directory) throws(FileError) {
        name = Self.newName()
        file = try folder.create(name)
        self.folder = folder
    }

    deinit {
        // After a crash it stays, and prune takes it when it is old.
        if !isPublished { do { try folder.unlink(name) } catch {} }
    }

    /// Gives it its place, in the stead of what lies there.
    package mutating func publish(as newName: String, in target: Directory) throws(FileError) {
        try folder.rename(name, to: target, newName)
        isPublished = true
    }

    private static let prefix = "onesheet-"

    private static func newName() -> String {
        "\(prefix)\(getpid())-\(String(UInt64.random(in: .min ... .max), radix: 16))"
    }

    /// Whether a name is that of a temporary file of this cache: `onesheet-PID-RANDOM`.
    package static func isName(_ name: String) -> Bool {
        let parts = name.dropFirst(prefix.count).split(
            separator: "-", omittingEmptySubsequences: false)
        return name.hasPrefix(prefix) && parts.count == 2
            && Int32(parts[0]) != nil && UInt64(parts[1], radix: 16) != nil
    }
}
