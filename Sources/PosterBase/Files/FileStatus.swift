package import Glibc

/// What `fstat` tells of a file, as far as the cache asks.
package struct FileStatus: Sendable, Equatable {
    /// Which file it is: the same two numbers mean the same file.
    package struct Identity: Hashable, Sendable {
        package var device: UInt64
        package var inode: UInt64
    }

    /// What lies there.
    package enum Kind: Sendable {
        case regular, directory, other
    }

    package var identity: Identity
    package var kind: Kind
    /// Bytes that a reader gets, 1 TiB at most.
    package var size: Int
    /// Bytes of the disk that it takes, 1 TiB at most.
    package var allocated: Int
    package var modified: Timestamp
    package var accessed: Timestamp
    /// When anything of it changed; this time cannot be set.
    package var changed: Timestamp
    /// Names that it has; 0 once the last is removed.
    package var links: Int

    package init(_ status: stat) {
        identity = Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .directory
            default: .other
            }
        // A sparse file may have 2⁶³ bytes, and a file system of fuse(4) reports what it likes.
        size = min(max(0, Int(status.st_size)), Self.mostBytes)
        allocated = min(max(0, Int(status.st_blocks)), Self.mostBytes / 512) * 512
        modified = Timestamp(status.st_mtim)
        accessed = Timestamp(status.st_atim)
        changed = Timestamp(status.st_ctim)
        links = Int(clamping: status.st_nlink)
    }

    /// 1 TiB: no file of the cache has more than 64 MiB, and sums of eight million fit.
    private static let mostBytes = 1 << 40
}
