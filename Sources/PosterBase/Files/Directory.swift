import CLinux
import Glibc

/// An open directory, and all that the cache does to names in one.
///
/// A name is one path segment and is never followed if it is a link, so nothing done here leaves
/// the directory, wherever it may have been moved since. Every call blocks for the disk, and
/// throws what the system said with the path.
package final class Directory: Sendable {
    private let descriptor: Int32
    /// Where it was when it was opened; for messages.
    package let path: String

    private init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }

    /// Opens a directory by its path, whose links are followed: it is the operator's own.
    package convenience init(_ path: String) throws(FileError) {
        let descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(.open, path, code: errno) }
        self.init(descriptor: descriptor, path: path)
    }

    /// Makes a directory and those above it where they are missing, 0755 less the umask.
    package static func make(_ path: String) throws(FileError) {
        guard mkdir(path, 0o755) != 0 else { return }
        switch errno {
        case EEXIST:
            // A link that leads nowhere has the name, and no directory can be made there.
            guard try status(at: path) == nil else { return }
            throw FileError(.mkdir, path, code: EEXIST, reason: "it is a link that leads nowhere")
        case ENOENT:
            let parent = path.split(separator: "/").dropLast().joined(separator: "/")
            guard !parent.isEmpty else { throw FileError(.mkdir, path, code: ENOENT) }
            try make(path.hasPrefix("/") ? "/" + parent : parent)
            guard mkdir(path, 0o755) == 0 || errno == EEXIST else {
                throw FileError(.mkdir, path, code: errno)
            }
        case let code: throw FileError(.mkdir, path, code: code)
        }
    }

    /// Opens a directory in this one.
    package func directory(_ name: String) throws(FileError) -> Directory {
        let opened = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0)
        guard opened >= 0 else { throw error(.open, name) }
        return Directory(descriptor: opened, path: "\(path)/\(name)")
    }

    /// As ``directory(_:)``; throws `EXDEV` where something else is mounted on it.
    package func directoryOfSameMount(_ name: String) throws(FileError) -> Directory {
        let opened = open_on_mount(
            descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        if opened >= 0 { return Directory(descriptor: opened, path: "\(path)/\(name)") }
        guard Self.isToBeTriedInSteps(errno) else { throw error(.open, name) }
        let directory = try directory(name)
        guard try directory.status().identity.device == status().identity.device else {
            throw FileError(.open, directory.path, code: EXDEV)
        }
        return directory
    }

    /// Makes a directory in this one, 0755 less the umask; it may be there already.
    package func makeDirectory(_ name: String) throws(FileError) {
        guard mkdirat(descriptor, name, 0o755) == 0 || errno == EEXIST else {
            throw error(.mkdir, name)
        }
    }

    /// Removes a directory in this one if it is empty (rmdir(2)). `false` when it is not, or is none,
    /// or something is mounted on it.
    @discardableResult
    package func removeDirectory(_ name: String) throws(FileError) -> Bool {
        guard unlinkat(descriptor, name, AT_REMOVEDIR) != 0 else { return true }
        guard [ENOENT, ENOTEMPTY, EEXIST, EBUSY, ENOTDIR].contains(errno) else {
            throw error(.unlink, name)
        }
        return false
    }

    /// Whether there is no name in it; `false` when that cannot be told.
    package var isEmpty: Bool {
        var isEmpty = true
        do { try forEachName { _, _ in isEmpty = false } } catch { return false }
        return isEmpty
    }

    private static let reading = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC

    /// Opens a file to read it. Waits for no pipe and no device; what was opened may still be
    /// something other than a regular file.
    package func open(_ name: String) throws(FileError) -> File {
        // Reading is no use: the cache keeps atime itself. Refused to all but the file's owner.
        var opened = openat(descriptor, name, Self.reading | open_without_access_time, 0)
        if opened < 0 && errno == EPERM { opened = openat(descriptor, name, Self.reading, 0) }
        guard opened >= 0 else { throw error(.open, name) }
        return File(descriptor: opened, in: path, name)
    }

    /// As ``open(_:)``, for a path of several names below this directory: in one step, where the
    /// system has one that follows no link.
    package func openFile(at path: String) throws(FileError) -> File {
        let opened = open_below(descriptor, path, Self.reading | open_without_access_time)
        if opened >= 0 { return File(descriptor: opened, in: self.path, path) }
        guard Self.isToBeTriedInSteps(errno) else { throw error(.open, path) }
        let (folder, name) = try parent(of: path)
        return try folder.open(name)
    }

    /// As ``status(_:)``, for a path of several names below this directory.
    package func fileStatus(at path: String) throws(FileError) -> FileStatus? {
        let opened = open_below(descriptor, path, open_place_alone | O_NOFOLLOW | O_CLOEXEC)
        if opened >= 0 { return try File(descriptor: opened, in: self.path, path).status() }
        if errno == ENOENT { return nil }
        guard Self.isToBeTriedInSteps(errno) else { throw error(.open, path) }
        do {
            let (folder, name) = try parent(of: path)
            return try folder.status(name)
        } catch {
            if error.isMissing { return nil }
            throw error
        }
    }

    /// Whether a path that cannot be opened as one is to be walked: an older kernel, a sandbox
    /// that does not know the call, another user's file, or rights that are missing for one of
    /// its folders, which is to be named.
    private static func isToBeTriedInSteps(_ code: Int32) -> Bool {
        code == ENOSYS || code == EPERM || code == EACCES
    }

    private func parent(of path: String) throws(FileError) -> (Directory, name: String) {
        var names = path.split(separator: "/").map(String.init)
        let name = names.removeLast()
        var folder = self
        for name in names { folder = try folder.directory(name) }
        return (folder, name)
    }

    /// Makes a file that was not there before, 0644 less the umask.
    func create(_ name: String) throws(FileError) -> File {
        let created = openat(
            descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard created >= 0 else { throw error(.open, name) }
        return File(descriptor: created, in: path, name)
    }

    /// Opens a file to write at its end, and makes it where it is missing. Waits for no pipe and no
    /// device; what was opened may still be something other than a regular file.
    package func openToAppend(_ name: String) throws(FileError) -> File {
        let opened = openat(
            descriptor, name, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
            0o644)
        guard opened >= 0 else { throw error(.open, name) }
        return File(descriptor: opened, in: path, name)
    }

    /// What a name stands for; `nil` when there is no such name.
    package func status(_ name: UnsafePointer<CChar>) throws(FileError) -> FileStatus? {
        var status = stat()
        guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) != 0 else {
            return FileStatus(status)
        }
        guard errno == ENOENT else { throw error(.stat, String(cString: name)) }
        return nil
    }

    /// Whether there is anything at a path of several names: a quick look, to be followed by a
    /// careful one, because the folders on the way may be links.
    package func hasFile(_ path: String) throws(FileError) -> Bool {
        if faccessat(descriptor, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0 { return true }
        guard errno == ENOENT || errno == ENOTDIR || errno == ELOOP else {
            throw error(.stat, path)
        }
        return false
    }

    /// Gives a file a name in another directory, in the place of what had it (rename(2)).
    func rename(_ name: String, to target: Directory, _ newName: String) throws(FileError) {
        guard renameat(descriptor, name, target.descriptor, newName) == 0 else {
            throw target.error(.rename, newName)
        }
    }

    /// Takes a name away. `false` when it was gone already.
    @discardableResult
    package func unlink(_ name: String) throws(FileError) -> Bool {
        guard unlinkat(descriptor, name, 0) != 0 else { return true }
        guard errno == ENOENT else { throw error(.unlink, name) }
        return false
    }

    /// Sets a file's times; `nil` leaves one as it is.
    package func setTimes(
        _ name: String, accessed: Timestamp?, modified: Timestamp?
    ) throws(FileError) {
        let times = [accessed, modified].map(Self.systemTime)
        guard utimensat(descriptor, name, times, AT_SYMLINK_NOFOLLOW) == 0 else {
            throw error(.touch, name)
        }
    }

    static func systemTime(_ time: Timestamp?) -> timespec {
        time?.systemTime ?? timespec(tv_sec: 0, tv_nsec: Int(omitTime))
    }

    package func status() throws(FileError) -> FileStatus {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw error(.stat) }
        return FileStatus(status)
    }

    /// What lies at a path, links followed; `nil` when nothing does.
    package static func status(at path: String) throws(FileError) -> FileStatus? {
        var status = stat()
        guard stat(path, &status) != 0 else { return FileStatus(status) }
        guard errno == ENOENT || errno == ENOTDIR else {
            throw FileError(.stat, path, code: errno)
        }
        return nil
    }

    /// How much room its file system has (fstatvfs(3)).
    package func space() throws(FileError) -> DiskSpace {
        var status = statvfs()
        guard fstatvfs(descriptor, &status) == 0 else { throw error(.stat) }
        return DiskSpace(status)
    }

    /// Calls `visit` with each name but `.` and `..`, in the file system's order, and whether it
    /// is a directory, as far as the file system tells without a look at it.
    package func forEachName(
        _ visit: (_ name: UnsafePointer<CChar>, _ isDirectory: Bool) throws(FileError) -> Void
    ) throws(FileError) {
        // A stream of its own: two walks at once must not share a position.
        let opened = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        guard opened >= 0 else { throw error(.open) }
        guard let stream = fdopendir(opened) else {
            close(opened)
            throw error(.open)
        }
        defer { closedir(stream) }
        guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return }
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw error(.read) }
                return
            }
            let name = (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self)
            guard strcmp(name, ".") != 0, strcmp(name, "..") != 0 else { continue }
            try visit(name, Int(entry.pointee.d_type) == DT_DIR)
        }
    }

    /// How asking for a directory's lock ended.
    package enum LockOutcome {
        /// It is held while the body runs.
        case held
        /// Another process has it.
        case taken
        /// There is none to be had, as on some network file systems.
        case unavailable(FileError)
    }

    /// Asks for the directory's lock (flock(2)), shared or alone, for `milliseconds` at most, and
    /// runs `body`, whatever came of it.
    package func withLock<Result>(
        alone: Bool, waiting milliseconds: Int = 0,
        _ body: (LockOutcome) throws(FileError) -> Result
    ) throws(FileError) -> Result {
        // A lock belongs to an open file description, so that each holder needs its own.
        let opened = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        guard opened >= 0 else { return try body(.unavailable(error(.open))) }
        defer { unlockAndClose(opened) }
        for attempt in 0...milliseconds {
            if attempt > 0 { usleep(1000) }
            if flock(opened, (alone ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0 { return try body(.held) }
            guard errno == EWOULDBLOCK || errno == EINTR else {
                return try body(.unavailable(error(.lock)))
            }
        }
        return try body(.taken)
    }

    private func error(_ operation: FileError.Operation, _ name: String? = nil) -> FileError {
        let code = errno
        return FileError(operation, name.map { "\(path)/\($0)" } ?? path, code: code)
    }
}

/// Ends a lock (flock(2)) and closes its descriptor. Closing alone would leave the lock to a child
/// that another thread is starting just now: it has the descriptor, too, until its exec.
func unlockAndClose(_ descriptor: Int32) {
    flock(descriptor, LOCK_UN)
    close(descriptor)
}

/// `UTIME_OMIT` of Linux, which glibc's module hides.
private let omitTime = (1 << 30) - 2
