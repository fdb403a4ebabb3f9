import CLinux
import Glibc

/// An open file of records of one length, each of which is locked for itself.
///
/// A process that is stopped while it holds a lock (SIGSTOP, a debugger) holds up one record, not
/// the file. The locks belong to the open file (fcntl(2), F_OFD_SETLK), so that threads that each
/// open it exclude one another, too, and they end with it. Where the file system has no locks,
/// records are changed without.
package struct SlotFile: ~Copyable {
    private let descriptor: Int32
    private let path: String
    /// Bytes of one record.
    private let length: Int

    /// Opens the file, and makes it where it is missing. Throws what the system said, and `EEXIST`
    /// where something else has its name. Never waits.
    package init(_ path: String, recordLength: Int) throws(FileError) {
        let opened = open(
            path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0o644)
        guard opened >= 0 else { throw FileError(.open, path, code: errno) }
        var status = stat()
        guard fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(opened)
            throw FileError(.open, path, code: EEXIST)
        }
        descriptor = opened
        self.path = path
        length = recordLength
    }

    deinit { close(descriptor) }

    /// The first `count` records, one after the other; what the file does not have is zero.
    package func records(_ count: Int) throws(FileError) -> [UInt8] { try read(0, count * length) }

    /// Locks a record and hands its bytes to `body`; writes what `body` makes of them where it
    /// returns true. Returns what `body` did; `nil` while another process holds the record.
    package func change(
        _ slot: Int, _ body: (inout [UInt8]) -> Bool
    ) throws(FileError) -> Bool? {
        switch setLock(slot, Int32(F_WRLCK)) {
        case EAGAIN, EACCES: return nil
        default: break
        }
        // Closing unlocks as well, but a caller may change several records.
        defer { _ = setLock(slot, Int32(F_UNLCK)) }
        var bytes = try read(slot * length, length)
        guard body(&bytes) else { return false }
        let written = bytes.withUnsafeBytes {
            pwrite(descriptor, $0.baseAddress, length, off_t(slot * length))
        }
        guard written == length else {
            throw FileError(.write, path, code: written < 0 ? errno : ENOSPC)
        }
        return true
    }

    private func setLock(_ slot: Int, _ kind: Int32) -> Int32 {
        var lock = flock()
        lock.l_type = Int16(kind)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = off_t(slot * length)
        lock.l_len = off_t(length)
        return fcntl(descriptor, set_lock_of_open_file, &lock) == 0 ? 0 : errno
    }

    private func read(_ offset: Int, _ count: Int) throws(FileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let part = bytes.withUnsafeMutableBytes {
                pread(
                    descriptor, $0.baseAddress.map { $0 + filled }, count - filled,
                    off_t(offset + filled))
            }
            if part < 0, errno == EINTR { continue }
            guard part >= 0 else { throw FileError(.read, path, code: errno) }
            guard part > 0 else { break }
            filled += part
        }
        return bytes
    }
}
