import Glibc

/// What the system's error numbers mean to the cache.
extension FileError {
    /// There is no such file or folder.
    package var isMissing: Bool { code == ENOENT }

    /// Something other than a file or folder lies where one is expected.
    package var isPlanted: Bool {
        [ENOTDIR, EISDIR, ELOOP, ENXIO, ENODEV, ENOTEMPTY, EEXIST].contains(code)
    }

    /// Rights are missing for this one file or folder, perhaps not for others.
    package var isPermission: Bool { code == EACCES || code == EPERM }

    /// The disk takes no more: it, its inodes or a quota are used up.
    package var isFull: Bool { code == ENOSPC || code == EDQUOT }

    /// The disk takes nothing (full, read-only, broken, no rights), but may still be read.
    package var isDiskRefusal: Bool {
        isFull || isPermission || [EROFS, EIO, EMFILE, ENFILE, ENOMEM, EFBIG].contains(code)
    }
}
