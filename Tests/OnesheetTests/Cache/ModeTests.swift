import Foundation
import Testing
import TestSupport

@testable import FixtureOrigin

/// What files and descriptors the program makes, whatever it inherits.
@Suite struct ModeTests {
    private let upstream: Upstream

    init() throws { upstream = try Upstream() }

    /// Below `path`, by name, the bits of the mode and the group.
    private func modes(below path: String) throws -> [String: (mode: mode_t, group: gid_t)] {
        var modes: [String: (mode: mode_t, group: gid_t)] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            var status = stat()
            try #require(lstat("\(path)/\(name)", &status) == 0)
            modes[name] = (status.st_mode, status.st_gid)
        }
        return modes
    }

    @Test(
        "the umask alone takes rights away, and a folder's group passes on",
        arguments: [0o000, 0o022, 0o077] as [mode_t], [false, true])
    func modes(mask: mode_t, hasGroup: Bool) throws {
        let program = upstream.program()
        try program.makeFolder("cache")
        let group: gid_t = hasGroup && getuid() == 0 ? 65_534 : getgid()
        #expect(chown(program.cache, getuid(), group) == 0)
        #expect(chmod(program.cache, hasGroup ? 0o2755 : 0o755) == 0)
        let path = try Upstream.trendingPaths()[0]
        let files = (0..<3).map { _ in open("/dev/null", O_RDWR | O_CLOEXEC) }
        defer { for file in files { close(file) } }
        let process = try program.spawn(
            ["-c", "umask \(String(mask, radix: 8)); exec \"$0\" get -o /dev/null \"$1\""]
                + [BuiltProgram.path, path],
            files: files, through: ["/bin/sh"])
        #expect(waitForExit(process) == 0)
        let found = try modes(below: program.cache)
        #expect(found["posters/w342/\(path.dropFirst().prefix(2))\(path)"] != nil)
        for (name, (mode, itsGroup)) in found {
            let isFolder = mode & S_IFMT == S_IFDIR
            let passesOn: mode_t = hasGroup && isFolder ? 0o2000 : 0
            #expect(mode & 0o7777 == (isFolder ? 0o755 : 0o644) & ~mask | passesOn, "\(name)")
            #expect(itsGroup == group, "\(name)")
        }
    }

    @Test func `a server passes none of its descriptors on`() throws {
        var program = upstream.program()
        program.environment["AMODB_KEY"] = nil
        program.environment["AMODB_KEY_FILE"] = program.directory.path + "/key"
        try program.write("key", Array("fixture-key\n".utf8))
        try program.write("tokens", Array("token\n".utf8))
        // What is cached needs no upstream: libcurl opens its sockets without asking.
        #expect(try program.run("prefetch").status == 0)
        let server = try RunningServer(
            program, "--access-log", program.directory.path + "/log", "--clients", "tokens")
        let path = try Upstream.trendingPaths()[0]
        for target in ["/t/p/w342\(path)", "/thumb/60x90\(path)", "/placeholder/60x90", "/metrics"]
        {
            #expect(try server.get(target).status == 200)
        }
        let process = "/proc/\(server.running.process)"
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: process + "/fdinfo")
        #expect(descriptors.count > 6)
        for descriptor in descriptors where !["0", "1", "2"].contains(descriptor) {
            // One may be closed meanwhile.
            guard
                let text = try? String(
                    contentsOfFile: "\(process)/fdinfo/\(descriptor)", encoding: .utf8)
            else { continue }
            let line = text.split(separator: "\n").first { $0.hasPrefix("flags:") }
            let flags = line.flatMap { Int($0.dropFirst(6).drop { $0.isWhitespace }, radix: 8) }
            let target = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "\(process)/fd/\(descriptor)")
            // O_CLOEXEC, as proc(5) shows it.
            #expect((flags ?? 0) & 0o2000000 != 0, "\(descriptor): \(target ?? "gone")")
        }
        #expect(try server.stop(SIGTERM) == 0)
    }
}
