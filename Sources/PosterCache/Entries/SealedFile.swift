import PosterBase

/// A file that was read whole, and whose seal fits its place and length.
///
/// The one way to read a file of the cache. Whether the body fits its hash is another
/// question, because it costs a look at every byte: ``isUnaltered``.
struct SealedFile {
    /// Without the seal.
    let body: [UInt8]
    let seal: Seal
    let status: FileStatus

    /// Why there is nothing to be had.
    enum Fault: Error {
        /// The disk would not give it, or it is not there.
        case disk(FileError)
        /// It is no entry. What was seen of it serves to remove that and nothing else.
        case bad(EntryFault, FileStatus)
    }

    /// Opens a file and reads it. `belongsHere` is asked whether the seal's key is that of the
    /// place. What is longer than `maxBodyLength` is none of the cache's own, and is not read.
    /// Blocks.
    init(
        maxBodyLength: Int = SealedFiles.maxBodyLength, belongsHere: (_ key: String) -> Bool,
        opening open: () throws(FileError) -> File
    ) throws(Fault) {
        let found: [UInt8]?
        do throws(FileError) {
            let file = try open()
            status = try file.status()
            let isReadable =
                status.kind == .regular && status.size <= maxBodyLength + Seal.maxLength
            found = isReadable ? try file.read(status.size) : nil
        } catch { throw .disk(error) }
        guard var bytes = found else {
            throw .bad(status.kind == .regular ? .torn : .foreign, status)
        }
        do throws(Seal.Fault) {
            seal = try Seal(atEndOf: bytes, fileLength: bytes.count, belongsHere: belongsHere)
        } catch { throw .bad(error.reason, status) }
        bytes.removeLast(bytes.count - seal.bodyLength)
        body = bytes
    }

    /// Whether a file that bears an entry's name was written by this program: it has a seal, whole
    /// or not, of whatever version, or it is empty, as a power cut leaves files. `size` is the
    /// file's length.
    static func isOwn(_ file: borrowing File, size: Int) throws(FileError) -> Bool {
        guard size > 0 else { return true }
        // A seal is a few hundred bytes long unless upstream's validators are.
        for length in [min(size, 512), min(size, Seal.maxLength)] {
            if Seal.isBegun(in: try file.read(length, from: size - length)) { return true }
        }
        return false
    }

    /// Whether the body fits its hash.
    var isUnaltered: Bool { ContentHash(of: body) == seal.bodyHash }
}
