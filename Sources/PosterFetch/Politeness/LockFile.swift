import Glibc
import PosterBase

/// A small file whose bytes are read and written in place, and each of whose offsets can be locked.
///
/// The locks are those of an open file description (fcntl(2), `F_OFD_SETLK`): they exclude every
/// other description, in this process or another, and the kernel ends them with the process. One
/// description does not exclude itself, so its owner keeps count of what it holds. No call waits for
/// a lock, and none is held across anything but a read and a write of this file.
final class LockFile: Sendable {
    private let descriptor: Int32
    private let path: String
    /// Which file it is.
    let identity: FileStatus.Identity

    /// Opens the file, or makes it with `size` zero bytes that are on the disk already, so that no
    /// later write finds the disk full.
    init(_ path: String, size: Int) throws(FileError) {
        let opened = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o644)
        guard opened >= 0 else { throw FileError(.open, path, code: errno) }
        do throws(FileError) { identity = try Self.prepare(opened, path, size: size) } catch {
            close(opened)
            throw error
        }
        (self.path, descriptor) = (path, opened)
    }

    private static func prepare(
        _ opened: Int32, _ path: String, size: Int
    ) throws(FileError) -> FileStatus.Identity {
        var status = stat()
        guard fstat(opened, &status) == 0 else { throw FileError(.stat, path, code: errno) }
        let known = FileStatus(status)
        guard known.kind == .regular else {
            throw FileError(.open, path, code: EINVAL, reason: "it is no regular file")
        }
        if known.size < size {
            // It adds zeros and leaves what another process has written meanwhile.
            let code = posix_fallocate(opened, 0, off_t(size))
            guard code == 0 else { throw FileError(.write, path, code: code) }
        }
        return known.identity
    }

    deinit { close(descriptor) }

    /// Reads `count` bytes; what lies beyond the file's end is zeros.
    func read(_ count: Int, at offset: Int) throws(FileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        while true {
            if pread(descriptor, &bytes, count, off_t(offset)) >= 0 { return bytes }
            guard errno == EINTR else { throw FileError(.read, path, code: errno) }
        }
    }

    /// Writes all of `bytes`.
    func write(_ bytes: [UInt8], at offset: Int) throws(FileError) {
        while true {
            let written = pwrite(descriptor, bytes, bytes.count, off_t(offset))
            if written == bytes.count { return }
            if written < 0, errno == EINTR { continue }
            throw FileError(.write, path, code: written < 0 ? errno : ENOSPC)
        }
    }

    /// Asks for the lock of one offset; `false` when another description has it.
    func tryLock(_ offset: Int64) throws(FileError) -> Bool {
        if set(Int16(F_WRLCK), offset) { return true }
        guard errno == EAGAIN || errno == EACCES else {
            throw FileError(.lock, path, code: errno)
        }
        return false
    }

    /// Gives the lock of one offset back. A child that is being started has the same description,
    /// so that closing alone would leave the lock with it.
    func unlock(_ offset: Int64) { _ = set(Int16(F_UNLCK), offset) }

    private func set(_ type: Int16, _ offset: Int64) -> Bool {
        var lock = Glibc.flock()
        (lock.l_type, lock.l_whence) = (type, Int16(SEEK_SET))
        (lock.l_start, lock.l_len) = (off_t(offset), 1)
        return fcntl(descriptor, ofdSetLock, &lock) == 0
    }
}

/// `F_OFD_SETLK` of linux/fcntl.h, which glibc shows to GNU sources only.
private let ofdSetLock: Int32 = 37

/// A ``LockFile`` by its path: opened when it is needed, opened again when the directory was replaced,
/// and left alone for a second after an error.
struct LockFileHandle {
    private static let interval = Duration.seconds(1)

    private let path: String?
    private let size: Int
    private(set) var file: LockFile?
    private var nextLook: ContinuousClock.Instant?
    /// Why there is none; `nil` while there is, or where none was asked for.
    private(set) var failure: FileError?

    /// `path` nil: there is no file, and none is missed.
    init(_ path: String?, size: Int) { (self.path, self.size) = (path, size) }

    /// Sees to the file once a second. `true`: it is another one than before.
    mutating func refresh(now: ContinuousClock.Instant = .now) -> Bool {
        guard let path, nextLook.map({ $0 <= now }) ?? true else { return false }
        nextLook = now + Self.interval
        do throws(FileError) {
            if let file, try Directory.status(at: path)?.identity == file.identity { return false }
            file = try LockFile(path, size: size)
            failure = nil
            return true
        } catch {
            drop(error)
            return false
        }
    }

    /// Closes the file until it is needed again: an idle process keeps no file system from being
    /// unmounted or remounted read-only.
    mutating func close() {
        guard file != nil else { return }
        (file, nextLook) = (nil, nil)
    }

    /// Does without the file for a second.
    mutating func drop(_ error: FileError) {
        (file, failure) = (nil, error)
    }
}
