import Foundation
import TestSupport
import Testing

@testable import FixtureOrigin

/// What lies in `deploy/`, with the programs that it is for.
@Suite struct DeployTests {
    private static let folder =
        URL(filePath: Upstream.fixtures).deletingLastPathComponent().path + "/deploy"

    @Test(.enabled(if: Nginx.isInstalled))
    func `nginx serves what is cached by itself, and asks for the rest`() throws {
        let upstream = try Upstream()
        let server = try RunningServer(upstream.program())
        let site = try String(
            contentsOfFile: Self.folder + "/onesheet.nginx.conf", encoding: .utf8
        )
        .replacingOccurrences(of: "/var/cache/onesheet", with: server.program.cache)
        .replacingOccurrences(of: "127.0.0.1:8600", with: "127.0.0.1:\(server.port)")
        let nginx = try Nginx(site: site)
        func get(_ path: String) throws -> (status: Int, body: [UInt8]) {
            try RunningServer.get(path, port: nginx.port)
        }
        let paths = try Upstream.trendingPaths()
        let (cached, cold) = ("/t/p/w342\(paths[0])", "/t/p/w342\(paths[1])")
        let poster = try Upstream.bytes("posters/w342\(paths[0])")
        // Asked for the first time, it comes through Onesheet.
        #expect(try get(cached).body == poster)
        for path in [
            "/thumb/60x90\(paths[0])", "\(cached)?w=60", "/t/p/w342/null", "/healthz",
            "/3/trending/movie/week", "/",
        ] {
            #expect(try get(path).status == 200, "\(path)")
        }
        #expect(try server.stop(SIGTERM) == 0)
        // The file is the poster, and the seal behind its end.
        let file = try get(cached)
        #expect(file.status == 200)
        #expect(file.body.starts(with: poster))
        #expect(file.body.count < poster.count + 1024)
        for path in [
            cold, "\(cached)?w=60", "/healthz", "/t/p/w342/../../CACHEDIR.TAG",
            "/posters/w342\(paths[0])", "/CACHEDIR.TAG", "/t/p/w342/lists\(paths[0])",
        ] {
            #expect(try get(path).status >= 400, "\(path)")
        }
    }

    @Test(
        "the units are ones that systemd has nothing to say of",
        .enabled(if: access("/usr/bin/systemd-analyze", X_OK) == 0),
        arguments: [
            "onesheet.service", "onesheet-prefetch.service", "onesheet-prune.service",
            "onesheet-prefetch.timer", "onesheet-prune.timer", "onesheet.socket",
            "onesheet@1.service", "onesheet-prune@1.service", "onesheet-prune@1.timer",
        ])
    func units(name: String) throws {
        // With a program in the place of the one that is not installed.
        let directory = TemporaryDirectory()
        for unit in try FileManager.default.contentsOfDirectory(atPath: Self.folder)
        where [".service", ".timer", ".socket"].contains(where: unit.hasSuffix) {
            try String(contentsOfFile: "\(Self.folder)/\(unit)", encoding: .utf8)
                .replacingOccurrences(of: "/usr/bin/onesheet", with: "/usr/bin/true")
                .write(toFile: "\(directory.path)/\(unit)", atomically: true, encoding: .utf8)
        }
        let verified = try run(
            "/usr/bin/systemd-analyze", "verify", "--man=no", "\(directory.path)/\(name)")
        #expect(verified.status == 0)
        #expect(!verified.text.contains("onesheet"))
    }
}
