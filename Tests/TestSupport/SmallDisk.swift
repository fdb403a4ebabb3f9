import Foundation

/// A file system of a few kilobytes in memory, where the tests may mount one: as root.
package final class SmallDisk: Sendable {
    package let path: String
    private let home = TemporaryDirectory()

    /// `nil` where mounting is not allowed.
    package init?(_ options: String) {
        path = home.path + "/disk"
        guard mkdir(path, 0o755) == 0, mount("none", path, "tmpfs", 0, options) == 0 else {
            return nil
        }
    }

    deinit { umount2(path, Int32(MNT_DETACH)) }

    /// Changes its options, such as `ro`.
    package func remount(isReadOnly: Bool, _ options: String) -> Bool {
        let flags = UInt(MS_REMOUNT) | (isReadOnly ? UInt(MS_RDONLY) : 0)
        return mount("none", path, "tmpfs", flags, options) == 0
    }

    /// Whether this machine lets the tests mount; the reason why some say nothing.
    package static let isPossible = SmallDisk("size=64k") != nil
}
