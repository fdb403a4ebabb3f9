import Amodb
import Foundation
import Testing
import TestSupport

@testable import PosterBase
@testable import PosterCache
@testable import PosterKit

/// What happens when something that is no file lies where one is expected.
@Suite struct PlantedObjectTests {
    private let fixture = CacheFixture()

    enum Object: String, CaseIterable {
        case directory, fullDirectory, linkOut, linkIn, danglingLink, loop, pipe, socket, device
    }

    /// Makes the object; `false` where this machine does not allow it.
    private func plant(_ object: Object, at path: String) throws -> Bool {
        let manager = FileManager.default
        func link(_ target: String) throws {
            try manager.createSymbolicLink(atPath: path, withDestinationPath: target)
        }
        switch object {
        case .directory:
            try manager.createDirectory(atPath: path, withIntermediateDirectories: false)
        case .fullDirectory:
            try manager.createDirectory(atPath: path + "/w342", withIntermediateDirectories: true)
        case .linkOut: try link(fixture.home.path + "/outside")
        case .linkIn: try link(fixture.path + "/CACHEDIR.TAG")
        case .danglingLink: try link("nowhere")
        case .loop: try link((path as NSString).lastPathComponent)
        case .pipe: return mkfifo(path, 0o644) == 0
        case .socket: return bindSocket(path)
        case .device: return mknod(path, S_IFCHR | 0o644, 0x103) == 0  // null(4)
        }
        return true
    }

    private func bindSocket(_ path: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // Such names are short; the directory's own is not, so it is bound by a relative one.
        let name = Array((path as NSString).lastPathComponent.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        let folder = open((path as NSString).deletingLastPathComponent, O_RDONLY | O_DIRECTORY)
        defer { close(folder) }
        let there = Array("/proc/self/fd/\(folder)/".utf8) + name
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: there) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }

    private func outside() throws -> String {
        let path = fixture.home.path + "/outside"
        try FileManager.default.createDirectory(
            atPath: path + "/Ab", withIntermediateDirectories: true)
        return path
    }

    @Test(
        "an object in an entry's place stays, and its key is not cached", arguments: Object.allCases
    )
    func entry(object: Object) throws {
        _ = try outside()
        let (key, other) = (try CacheFixture.poster(), try CacheFixture.poster("AbOther"))
        let cache = try fixture.open()
        try cache.write(other, fixture.entry())
        guard try plant(object, at: fixture.file(key)) else { return }
        let before = fixture.home.files()
        #expect(cache.read(key).isAbsent)
        let error = #expect(throws: FileError.self) { try cache.write(key, fixture.entry()) }
        #expect(error?.operation == .rename)
        #expect(try !cache.renew(key, fixture.entry(), at: fixture.now))
        cache.noteUse(of: key, now: fixture.now + .seconds(7200))
        #expect(cache.healthIssue == nil)
        #expect(fixture.metrics.badEntries[.foreign] == 1)
        #expect(fixture.home.files() == before)
        #expect(cache.read(other).entry != nil)
        let verified = try Verification.run(fixture.path, deletesBad: true)
        #expect(verified.examined == 1 && verified.bad.isEmpty)
        _ = try Prune.run(fixture.path, .init(maxAge: .zero, maxBytes: 0), now: fixture.now)
        #expect(fixture.exists(key.description))
    }

    @Test(
        "an object in a folder's place stays, and nothing is kept there", arguments: Object.allCases
    )
    func shard(object: Object) throws {
        let outside = try outside()
        let key = try CacheFixture.poster()
        let cache = try fixture.open()
        for folder in ["posters/w342/Ab", "posters/w342"] {
            try? FileManager.default.removeItem(atPath: "\(fixture.path)/posters/w342")
            try FileManager.default.createDirectory(
                atPath: "\(fixture.path)/\((folder as NSString).deletingLastPathComponent)",
                withIntermediateDirectories: true)
            guard object != .directory, object != .fullDirectory,
                try plant(object, at: "\(fixture.path)/\(folder)")
            else { return }
            #expect(cache.read(key).isAbsent)
            #expect(throws: FileError.self) { try cache.write(key, fixture.entry()) }
            #expect(cache.healthIssue == nil)
            let summary = try Prune.run(fixture.path, .init(maxAge: .zero), now: fixture.now)
            #expect(summary.foreign == 1 && summary.failures.isEmpty)
            #expect(fixture.exists(folder))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: outside) == ["Ab"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.path + "/tmp").isEmpty)
    }

    @Test("an object in the place of tmp refuses the cache", arguments: Object.allCases)
    func temporary(object: Object) throws {
        _ = try outside()
        _ = try fixture.open()
        try FileManager.default.removeItem(atPath: fixture.path + "/tmp")
        guard object != .directory, object != .fullDirectory,
            try plant(object, at: fixture.path + "/tmp")
        else { return }
        let error = #expect(throws: FileError.self) { try fixture.open() }
        #expect(error?.code == ENOTDIR)
    }

    @Test func `a hard link to another's file is replaced, not written into`() throws {
        let key = try CacheFixture.poster()
        let cache = try fixture.open()
        let theirs = fixture.home.path + "/theirs"
        try Data("theirs".utf8).write(to: URL(fileURLWithPath: theirs))
        try cache.write(key, fixture.entry())
        #expect(unlink(fixture.file(key)) == 0 && link(theirs, fixture.file(key)) == 0)
        #expect(cache.read(key).isAbsent)
        try cache.write(key, fixture.entry())
        #expect(try String(contentsOfFile: theirs, encoding: .utf8) == "theirs")
    }
}
