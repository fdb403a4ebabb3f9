import Glibc

/// An open file. Every call blocks for the disk, and throws what the system said with the path.
package struct File: ~Copyable {
    private let descriptor: Int32
    private let folder: String
    private let name: String

    /// Takes over an open descriptor. `folder` and `name` are for messages.
    init(descriptor: Int32, in folder: String, _ name: String) {
        self.descriptor = descriptor
        self.folder = folder
        self.name = name
    }

    /// For messages; put together when there is one.
    var path: String { "\(folder)/\(name)" }

    deinit { close(descriptor) }

    package func status() throws(FileError) -> FileStatus {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw error(.stat) }
        return FileStatus(status)
    }

    /// Reads up to `count` bytes from `offset`; fewer only at the file's end.
    package func read(_ count: Int, from offset: Int = 0) throws(FileError) -> [UInt8] {
        var failure: FileError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let part = pread(
                    descriptor, buffer.baseAddress.map { $0 + filled }, count - filled,
                    off_t(offset + filled))
                if part < 0 && errno == EINTR { continue }
                if part < 0 { failure = error(.read) }
                guard part > 0 else { return }
                filled += part
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Appends all of `bytes`.
    package func write(_ bytes: [UInt8]) throws(FileError) {
        var written = 0
        while written < bytes.count {
            let part = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress.map { $0 + written }, $0.count - written)
            }
            if part < 0 && errno == EINTR { continue }
            guard part >= 0 else { throw error(.write) }
            // Not in POSIX for a regular file, but it must not turn into an endless loop.
            guard part > 0 else { throw FileError(.write, path, code: EIO) }
            written += part
        }
    }

    /// Sets the times; `nil` leaves one as it is.
    package func setTimes(accessed: Timestamp?, modified: Timestamp?) throws(FileError) {
        let times = [accessed, modified].map(Directory.systemTime)
        guard futimens(descriptor, times) == 0 else { throw error(.touch) }
    }

    /// Returns when bytes and times are on the disk (fsync(2)). After a failure they are lost for
    /// good, even if a second call succeeds.
    package func sync() throws(FileError) {
        while fsync(descriptor) != 0 {
            guard errno == EINTR else { throw error(.sync) }
        }
    }

    private func error(_ operation: FileError.Operation) -> FileError {
        FileError(operation, path, code: errno)
    }
}
