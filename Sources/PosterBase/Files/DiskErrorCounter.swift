import Glibc

/// Counts failures of the disk by what was asked of it and by the system's error number.
package final class DiskErrorCounter: Sendable {
    /// The error numbers that have a name of their own here; all others are `other`.
    package enum ErrorName: String, CaseIterable, Sendable {
        /// No room.
        case noSpace = "ENOSPC"
        case quota = "EDQUOT"
        case readOnly = "EROFS"
        case tooLarge = "EFBIG"
        /// The device or the network behind it.
        case inputOutput = "EIO"
        case staleHandle = "ESTALE"
        case noDevice = "ENODEV"
        /// No rights.
        case access = "EACCES"
        case permission = "EPERM"
        /// This process or machine has no more of something.
        case processFiles = "EMFILE"
        case systemFiles = "ENFILE"
        case memory = "ENOMEM"
        /// Something else lies where a file or folder should.
        case missing = "ENOENT"
        case exists = "EEXIST"
        case notDirectory = "ENOTDIR"
        case isDirectory = "EISDIR"
        case loop = "ELOOP"
        case notEmpty = "ENOTEMPTY"
        case otherDevice = "EXDEV"
        /// Any other number.
        case other

        /// The name of an error number, as in errno.h.
        package init(_ code: Int32) {
            self = Self.byCode[code] ?? .other
        }

        private static let byCode: [Int32: ErrorName] = [
            ENOSPC: .noSpace, EDQUOT: .quota, EROFS: .readOnly, EFBIG: .tooLarge,
            EIO: .inputOutput, ESTALE: .staleHandle, ENODEV: .noDevice, EACCES: .access,
            EPERM: .permission, EMFILE: .processFiles, ENFILE: .systemFiles, ENOMEM: .memory,
            ENOENT: .missing, EEXIST: .exists, ENOTDIR: .notDirectory, EISDIR: .isDirectory,
            ELOOP: .loop, ENOTEMPTY: .notEmpty, EXDEV: .otherDevice,
        ]
    }

    private struct Kind: Hashable {
        let operation: FileError.Operation
        let name: ErrorName
    }

    private let counts = Monitor<[Kind: Int]>([:])

    /// All counts at zero.
    package init() {}

    /// Counts a failure.
    package func add(_ error: FileError) {
        let kind = Kind(operation: error.operation, name: ErrorName(error.code))
        counts.withLock { $0[kind, default: 0] += 1 }
    }

    /// How often an operation has failed so.
    package subscript(operation: FileError.Operation, name: ErrorName) -> Int {
        counts.withLock { $0[Kind(operation: operation, name: name)] ?? 0 }
    }
}
