import CLinux
import Glibc

/// An open directory, and all that the cache does to names in one.
///
/// A name is one path segment and is never followed if it is a link, so nothing done here leaves
/// the directory, wherever it may have been moved since. Every call blocks for the disk, and
/// throws what the system said with the path.
final class Directory: Sendable {
    private let descriptor: Int32
    /// Where it was when it was opened; for messages.
    let path: String

    private init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }

    /// Opens a directory by its path, whose links are followed: it is the operator's own.
    convenience init(_ path: String) throws(CacheError) {
        let descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw CacheError(.open, path, code: errno) }
        self.init(descriptor: descriptor, path: path)
    }

    /// Makes a directory and those above it where they are missing, 0755 less the umask.
    static func make(_ path: String) throws(CacheError) {
        guard mkdir(path, 0o755) != 0 else { return }
        switch errno {
        case EEXIST: return
        case ENOENT:
            let parent = path.split(separator: "/").dropLast().joined(separator: "/")
            guard !parent.isEmpty else { throw CacheError(.mkdir, path, code: ENOENT) }
            try make(path.hasPrefix("/") ? "/" + parent : parent)
            guard mkdir(path, 0o755) == 0 || errno == EEXIST else {
                throw CacheError(.mkdir, path, code: errno)
            }
        case let code: throw CacheError(.mkdir, path, code: code)
        }
    }

    /// Opens a directory in this one.
    func directory(_ name: String) throws(CacheError) -> Directory {
        let opened = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0)
        guard opened >= 0 else { throw error(.open, name) }
        return Directory(descriptor: opened, path: "\(path)/\(name)")
    }

    /// Makes a directory in this one, 0755 less the umask; it may be there already.
    func makeDirectory(_ name: String) throws(CacheError) {
        guard mkdirat(descriptor, name, 0o755) == 0 || errno == EEXIST else {
            throw error(.mkdir, name)
        }
    }

    private static let reading = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC

    /// Opens a file to read it. Waits for no pipe and no device; what was opened may still be
    /// something other than a regular file.
    func open(_ name: String) throws(CacheError) -> File {
        // Reading is no use: the cache keeps atime itself. Refused to all but the file's owner.
        var opened = openat(descriptor, name, Self.reading | open_without_access_time, 0)
        if opened < 0 && errno == EPERM { opened = openat(descriptor, name, Self.reading, 0) }
        guard opened >= 0 else { throw error(.open, name) }
        return File(descriptor: opened, in: path, name)
    }

    /// As ``open(_:)``, for a path of several names below this directory: in one step, where the
    /// system has one that follows no link.
    func openFile(at path: String) throws(CacheError) -> File {
        let opened = open_below(descriptor, path, Self.reading | open_without_access_time)
        if opened >= 0 { return File(descriptor: opened, in: self.path, path) }
        guard Self.isToBeTriedInSteps(errno) else { throw error(.open, path) }
        let (folder, name) = try parent(of: path)
        return try folder.open(name)
    }

    /// As ``status(_:)``, for a path of several names below this directory.
    func fileStatus(at path: String) throws(CacheError) -> FileStatus? {
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
    /// that does not know the call, somebody else's file, or rights that are missing for one of
    /// its folders, which is to be named.
    private static func isToBeTriedInSteps(_ code: Int32) -> Bool {
        code == ENOSYS || code == EPERM || code == EACCES
    }

    private func parent(of path: String) throws(CacheError) -> (Directory, name: String) {
        var names = path.split(separator: "/").map(String.init)
        let name = names.removeLast()
        var folder = self
        for name in names { folder = try folder.directory(name) }
        return (folder, name)
    }

    /// Makes a file that was not there before, 0644 less the umask.
    func create(_ name: String) throws(CacheError) -> File {
        let created = openat(
            descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard created >= 0 else { throw error(.open, name) }
        return File(descriptor: created, in: path, name)
    }

    /// Opens a file to write at its end, and makes it where it is missing. Waits for no pipe and no
    /// device; what was opened may still be something other than a regular file.
    func openToAppend(_ name: String) throws(CacheError) -> File {
        let opened = openat(
            descriptor, name, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
            0o644)
        guard opened >= 0 else { throw error(.open, name) }
        return File(descriptor: opened, in: path, name)
    }

    /// What a name stands for; `nil` when there is no such name.
    func status(_ name: UnsafePointer<CChar>) throws(CacheError) -> FileStatus? {
        var status = stat()
        guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) != 0 else {
            return FileStatus(status)
        }
        guard errno == ENOENT else { throw error(.stat, String(cString: name)) }
        return nil
    }

    /// Whether there is anything at a path of several names: a quick look, to be followed by a
    /// careful one, because the folders on the way may be links.
    func hasFile(_ path: String) throws(CacheError) -> Bool {
        if faccessat(descriptor, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0 { return true }
        guard errno == ENOENT || errno == ENOTDIR || errno == ELOOP else {
            throw error(.stat, path)
        }
        return false
    }

    /// Gives a file a name in another directory, in the place of what had it (rename(2)).
    func rename(_ name: String, to target: Directory, _ newName: String) throws(CacheError) {
        guard renameat(descriptor, name, target.descriptor, newName) == 0 else {
            throw target.error(.rename, newName)
        }
    }

    /// Takes a name away. `false` when it was gone already.
    @discardableResult
    func unlink(_ name: String) throws(CacheError) -> Bool {
        guard unlinkat(descriptor, name, 0) != 0 else { return true }
        guard errno == ENOENT else { throw error(.unlink, name) }
        return false
    }

    /// Sets a file's times; `nil` leaves one as it is.
    func setTimes(
        _ name: String, accessed: Timestamp?, modified: Timestamp?
    ) throws(CacheError) {
        let times = [accessed, modified].map(Self.systemTime)
        guard utimensat(descriptor, name, times, AT_SYMLINK_NOFOLLOW) == 0 else {
            throw error(.touch, name)
        }
    }

    static func systemTime(_ time: Timestamp?) -> timespec {
        time?.systemTime ?? timespec(tv_sec: 0, tv_nsec: Int(omitTime))
    }

    func status() throws(CacheError) -> FileStatus {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw error(.stat) }
        return FileStatus(status)
    }

    /// What lies at a path, links followed; `nil` when nothing does.
    static func status(at path: String) throws(CacheError) -> FileStatus? {
        var status = stat()
        guard stat(path, &status) != 0 else { return FileStatus(status) }
        guard errno == ENOENT || errno == ENOTDIR else {
            throw CacheError(.stat, path, code: errno)
        }
        return nil
    }

    /// Bytes of its file system that are free for users without privileges.
    func freeBytes() throws(CacheError) -> Int {
        var status = statvfs()
        guard fstatvfs(descriptor, &status) == 0 else { throw error(.stat) }
        let (bytes, overflow) = UInt(status.f_bavail).multipliedReportingOverflow(
            by: UInt(status.f_frsize))
        // Half the range, so that what is freed meanwhile can be added.
        return overflow ? .max / 2 : Int(min(bytes, UInt(Int.max / 2)))
    }

    /// Calls `visit` with each name but `.` and `..`, in the file system's order, and whether it
    /// may be a directory (links are none).
    func forEachName(
        _ visit: (_ name: UnsafePointer<CChar>, _ mayBeDirectory: Bool) throws(CacheError) -> Void
    ) throws(CacheError) {
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
            let type = Int(entry.pointee.d_type)
            try visit(name, type == DT_DIR || type == DT_UNKNOWN)
        }
    }

    /// How asking for a directory's lock ended.
    enum LockOutcome {
        /// It is held while the body runs.
        case held
        /// Somebody else has it.
        case taken
        /// There is none to be had, as on some network file systems.
        case unavailable(CacheError)
    }

    /// Asks for the directory's lock (flock(2)), shared or alone, for `milliseconds` at most, and
    /// runs `body`, whatever came of it.
    func withLock<Result>(
        alone: Bool, waiting milliseconds: Int = 0,
        _ body: (LockOutcome) throws(CacheError) -> Result
    ) throws(CacheError) -> Result {
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

    private func error(_ operation: Metrics.DiskOperation, _ name: String? = nil) -> CacheError {
        let code = errno
        return CacheError(operation, name.map { "\(path)/\($0)" } ?? path, code: code)
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
