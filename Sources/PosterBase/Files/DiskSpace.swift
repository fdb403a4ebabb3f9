import Glibc

/// How much room a file system has.
package struct DiskSpace: Sendable, Equatable {
    /// Bytes that are free for users without privileges.
    package var freeBytes: Int
    /// Bytes of the whole file system.
    var bytes: Int
    /// Inodes that are free for users without privileges.
    package var freeInodes: Int
    /// Inodes of the whole file system; 0 where it makes them as they are needed (btrfs).
    var inodes: Int

    init(freeBytes: Int, bytes: Int, freeInodes: Int = 0, inodes: Int = 0) {
        (self.freeBytes, self.bytes) = (freeBytes, bytes)
        (self.freeInodes, self.inodes) = (freeInodes, inodes)
    }

    init(_ status: statvfs) {
        let blockSize = Int(clamping: status.f_frsize)
        func size(_ blocks: UInt) -> Int {
            let (size, overflow) = Int(clamping: blocks).multipliedReportingOverflow(by: blockSize)
            // Half the range, so that what is deleted meanwhile can be added.
            return overflow ? .max / 2 : min(size, .max / 2)
        }
        self.init(
            freeBytes: size(status.f_bavail), bytes: size(status.f_blocks),
            freeInodes: min(Int(clamping: status.f_favail), .max / 2),
            inodes: Int(clamping: status.f_files))
    }

    /// The inodes that must be free where so many bytes must be: as large a share of all, and
    /// enough to write an entry with its folders. 0 where there is no limit on inodes.
    package func inodesToKeepFree(withBytes wanted: Int) -> Int {
        guard inodes > 0, wanted > 0 else { return 0 }
        let share = bytes > 0 ? min(1, Double(wanted) / Double(bytes)) : 1
        let proportional = Int((Double(min(inodes, 1 << 62)) * share).rounded(.up))
        return max(proportional, min(Self.leastFreeInodes, inodes / 4))
    }

    /// A temporary file and three folders, for a few writers at once.
    private static let leastFreeInodes = 16
}
