import Foundation

/// A file system in a file, whose power can be cut: where the tests may mount, as root.
package final class PowerCut: Sendable {
    /// The kinds that can lose power (`FS_IOC_SHUTDOWN`).
    package enum Kind: String, CaseIterable, Sendable {
        case ext4
        /// ext4 that writes names before the bytes behind them.
        case ext4Writeback
        case xfs

        fileprivate var maker: [String] {
            self == .xfs ? ["mkfs.xfs", "-q", "-f"] : ["mkfs.ext4", "-q", "-F"]
        }
        fileprivate var options: String { self == .ext4Writeback ? "loop,data=writeback" : "loop" }
        /// The least that it can be made on; a file of holes.
        fileprivate var size: off_t { self == .xfs ? 320 << 20 : 24 << 20 }
    }

    package let path: String
    private let kind: Kind
    private let home = TemporaryDirectory()

    /// Mounts a new, empty one; `nil` where that is not allowed.
    package init?(_ kind: Kind = .ext4) {
        self.kind = kind
        path = home.path + "/disk"
        guard mkdir(path, 0o755) == 0, truncate(to: kind.size, image),
            Self.run(kind.maker + [image]), mountImage()
        else { return nil }
    }

    // Lazily: a cache that is still open must not keep it mounted for good.
    deinit { detach() }

    private var image: String { home.path + "/image" }

    /// Loses all that was not written to the disk (without flushing the log).
    package func cut() -> Bool {
        let disk = open(path, O_RDONLY | O_DIRECTORY)
        defer { close(disk) }
        var withoutFlush: UInt32 = 2
        return ioctl(disk, 0x8004_587D, &withoutFlush) == 0
    }

    /// Mounts it again, which replays what the journal has.
    package func restore() -> Bool { Self.run(["umount", path]) && mountImage() }

    /// Takes it from its place; who has files of it open keeps it alive.
    package func detach() { _ = Self.run(["umount", "-l", path]) }

    /// Puts it back, when nobody has a file of it open any more. `false` until then.
    package func attach() -> Bool { !isInUse() && mountImage() }

    private func isInUse() -> Bool {
        // The kernel's spelling of the path may be another.
        let folder = (home.path as NSString).lastPathComponent
        let devices = (try? FileManager.default.contentsOfDirectory(atPath: "/sys/block")) ?? []
        return devices.contains { device in
            let file = try? String(
                contentsOfFile: "/sys/block/\(device)/loop/backing_file", encoding: .utf8)
            return file?.contains(folder) == true
        }
    }

    private func mountImage() -> Bool { Self.run(["mount", "-o", kind.options, image, path]) }

    private func truncate(to size: off_t, _ image: String) -> Bool {
        FileManager.default.createFile(atPath: image, contents: nil)
            && Foundation.truncate(image, size) == 0
    }

    private static func run(_ words: [String]) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        process.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    /// Whether this machine lets the tests do it; the reason why some say nothing.
    package static let isPossible = PowerCut()?.cut() ?? false
}
