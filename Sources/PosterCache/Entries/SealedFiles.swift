import Glibc
import PosterBase

/// Reads and writes sealed files: the one place where bytes become an entry and an entry bytes.
///
/// What `DiskCache` and `ListCache` share. Blocks for the disk.
package final class SealedFiles: Sendable {
    /// What reading came to.
    enum Found {
        /// A seal that fits its place and length. Whether the body fits its hash is not known.
        case file(SealedFile)
        /// None, or one that did not pass and is gone now.
        case absent
        /// The disk would not say.
        case unreadable(FileError)
    }

    /// The longest body that is read or written. Only a file that is none of the cache's own is
    /// longer; reading it must not cost memory without bound.
    static let maxBodyLength = 64 << 20

    let directory: CacheDirectory
    let report: DiskReport
    private let syncs: Bool
    /// The place that could not be read last.
    private let unreadable = Monitor<SealedPlace?>(nil)
    /// How long the body was that could not be written last.
    private let refusedLength = Monitor(0)

    /// `syncs` false leaves out fsync, so that a test can show what it is for.
    init(
        directory path: String, log: Log, metrics: CacheMetrics, pause: Duration = .seconds(5),
        syncs: Bool = true
    ) throws(FileError) {
        self.syncs = syncs
        directory = try CacheDirectory(making: path)
        report = DiskReport(log: log, metrics: metrics, pause: pause)
    }

    /// Reads a file and checks its seal.
    func read(_ place: SealedPlace) -> Found {
        do throws(SealedFile.Fault) {
            let file = try SealedFile(
                belongsHere: { $0 == place.key },
                opening: { () throws(FileError) in
                    try directory.root().openFile(at: place.path)
                })
            report.readSucceeded()
            return .file(file)
        } catch {
            switch error {
            case .disk(let error) where error.isMissing: return .absent
            case .disk(let error) where error.isPlanted: return foreign()
            case .disk(let error):
                unreadable.withLock { $0 = place }
                report.readFailed(error)
                return .unreadable(error)
            case .bad(.foreign, _): return foreign()
            case .bad(let reason, let status):
                report.readSucceeded()
                return remove(place, status, because: reason)
            }
        }
    }

    private func foreign() -> Found {
        report.bad(.foreign)
        return .absent
    }

    /// Removes a file that did not pass, if it is still the one that was looked at.
    @discardableResult
    func remove(
        _ place: SealedPlace, _ status: FileStatus, because reason: EntryFault
    ) -> Found {
        report.bad(reason)
        // A file of another version is valid for the process that wrote it; a process that fetches
        // it again replaces it.
        guard reason != .version else { return .absent }
        do {
            guard let folder = try directory.folder(place.folders) else { return .absent }
            try EntryRemoval.remove(place.name, ifStill: status, in: folder)
        } catch { report.keyFailed(error) }
        return .absent
    }

    /// Writes a file: to `tmp/`, sealed, fsynced, renamed. Gives its status under its name.
    func write(
        _ place: SealedPlace, _ body: [UInt8], _ seal: Seal, modified: Timestamp,
        accessed: Timestamp
    ) throws(FileError) -> FileStatus {
        guard body.count <= Self.maxBodyLength, seal.key.utf8.count <= Seal.maxKeyLength else {
            throw FileError(.write, place.name, code: EFBIG)
        }
        if let refusal = report.writeRefusal() { throw refusal }
        var isWritten = false
        do {
            var new = try newFile()
            try new.file.write(body)
            try new.file.write(seal.bytes)
            try new.file.setTimes(accessed: accessed, modified: modified)
            if syncs { try new.file.sync() }
            isWritten = true
            try publish(&new, at: place)
            report.writeSucceeded()
            return try new.file.status()
        } catch {
            // What lies in one place says nothing of the disk, nor does a folder that another user
            // removes as fast as it is made.
            guard !error.isPlanted, !isWritten || !(error.isMissing || error.isPermission) else {
                throw report.keyFailed(error)
            }
            refusedLength.withLock { $0 = body.count }
            throw report.writeFailed(error)
        }
    }

    /// Sets a file's times to `now` if it is sound and its body has the hash `hash`. `false` when
    /// it is another one, or gone.
    func renew(
        _ place: SealedPlace, holding hash: ContentHash, at now: Timestamp
    ) throws(FileError) -> Bool {
        if let refusal = report.writeRefusal() { throw refusal }
        do {
            guard let folder = try directory.folder(place.folders) else { return false }
            return try EntryRemoval.withSharedLock(in: folder) { () throws(FileError) in
                let file = try folder.open(place.name)
                let status = try file.status()
                guard status.kind == .regular, try seal(of: file, status, place)?.bodyHash == hash
                else { return false }
                try file.setTimes(accessed: now, modified: now)
                report.writeSucceeded()
                return try file.status().links > 0
            }
        } catch {
            if error.isMissing || error.isPlanted { return false }
            throw error.isPermission ? report.keyFailed(error) : report.writeFailed(error)
        }
    }

    /// A file's seal, and the file that it was read from; `nil` when there is none that fits.
    func readSeal(_ place: SealedPlace) -> (seal: Seal, status: FileStatus)? {
        do {
            let file = try directory.root().openFile(at: place.path)
            let status = try file.status()
            guard status.kind == .regular else { return nil }
            return try seal(of: file, status, place).map { ($0, status) }
        } catch { return nil }
    }

    /// A file's seal, read without its body; `nil` when it does not fit.
    private func seal(
        of file: borrowing File, _ status: FileStatus, _ place: SealedPlace
    ) throws(FileError) -> Seal? {
        let tail = min(status.size, Seal.maxLength)
        let bytes = try file.read(tail, from: status.size - tail)
        do { return try Seal(atEndOf: bytes, fileLength: status.size) { $0 == place.key } } catch {
            return nil
        }
    }

    /// Tries again what failed a while ago, so that a disk is found well although nothing is to be
    /// written or read: a server that is not ready gets no requests that could find it out.
    func probeIfDue() {
        if report.isReadingToBeTried(), let place = unreadable.withLock({ $0 }) {
            tryReading(place)
        }
        guard report.isProbeDue, report.writeRefusal() == nil else { return }
        do {
            let new = try newFile()
            // As much as was refused: less may find room, or be short enough for a limit.
            let length = max(4096, refusedLength.withLock { $0 })
            try new.file.write([UInt8](repeating: 0, count: length))
            try new.file.sync()
            report.writeSucceeded()
        } catch { _ = report.writeFailed(error) }
    }

    private func tryReading(_ place: SealedPlace) {
        do throws(FileError) {
            _ = try directory.root().openFile(at: place.path).read(Self.maxBodyLength)
            report.readSucceeded()
        } catch {
            // What is gone, or no file any more, keeps no reader from its answer.
            if error.isMissing || error.isPlanted {
                report.readSucceeded()
            } else {
                report.readFailed(error)
            }
        }
    }

    private func newFile() throws(FileError) -> TemporaryFile {
        let tmp = [CacheDirectory.Folder.tmp.rawValue]
        do { return try TemporaryFile(in: directory.madeFolder(tmp)) } catch {
            // The cache was removed or replaced between two looks at its path.
            guard error.isMissing else { throw error }
            directory.reopened()
            return try TemporaryFile(in: directory.madeFolder(tmp))
        }
    }

    /// Renames a finished file to its place. A prune, or a hand, may remove the folders, which are
    /// empty, between their making and the rename; then they are made again.
    private func publish(
        _ new: inout TemporaryFile, at place: SealedPlace
    ) throws(FileError) {
        var attemptsLeft = 5
        while true {
            do { return try publishOnce(&new, at: place) } catch {
                attemptsLeft -= 1
                guard error.isMissing, attemptsLeft > 0 else { throw error }
            }
        }
    }

    private func publishOnce(
        _ new: inout TemporaryFile, at place: SealedPlace
    ) throws(FileError) {
        let folder = try directory.madeFolder(place.folders)
        try EntryRemoval.withSharedLock(in: folder) { () throws(FileError) in
            if let there = try folder.status(place.name), there.kind != .regular {
                throw FileError(
                    .rename, "\(folder.path)/\(place.name)", code: EEXIST,
                    reason: "something that is no file lies there")
            }
            try new.publish(as: place.name, in: folder)
        }
    }
}
