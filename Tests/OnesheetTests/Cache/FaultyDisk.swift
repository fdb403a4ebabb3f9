import Foundation
import Testing
import TestSupport

/// The preloaded library of `Tests/FaultyDisk`, which makes one call to the disk fail.
struct FaultyDisk {
    /// What the chosen call does. The names are the library's.
    enum Kind: String, CaseIterable, Sendable {
        case kill = "KILL"
        case torn = "TORN"
        case short = "SHORT"
        case full = "ENOSPC"
        case broken = "EIO"
        case readOnly = "EROFS"
        case overQuota = "EDQUOT"
        case noDescriptors = "EMFILE"
        case noMemory = "ENOMEM"

        var isDeath: Bool { self == .kill || self == .torn }
    }

    /// Which calls are counted.
    enum Calls: String, Sendable { case changes, reads, locks }

    /// The environment that makes the N-th call below `directory` fail.
    static func environment(
        below directory: String, at number: Int, _ kind: String, _ calls: Calls = .changes,
        log: String
    ) throws -> [String: String] {
        [
            "LD_PRELOAD": try library.get(), "FAULTY_DISK_BELOW": directory,
            "FAULTY_DISK_AT": String(number), "FAULTY_DISK_KIND": kind,
            "FAULTY_DISK_CALLS": calls.rawValue, "FAULTY_DISK_LOG": log,
        ]
    }

    /// How many calls a log tells of.
    static func count(in log: String) -> Int {
        ((try? String(contentsOfFile: log, encoding: .utf8)) ?? "").split(separator: "\n").count
    }

    private static let home = TemporaryDirectory()

    /// The library, compiled once a run of the tests.
    private static let library = PreloadedLibrary.compiled("FaultyDisk/faulty_disk.c", in: home)
}
