import Foundation
import Testing
import TestSupport

@testable import FixtureOrigin

/// How the program reaches its upstream: by TLS, and through proxies.
@Suite struct UpstreamConnectionTests {
    private let upstream: Upstream
    private let path: String

    init() throws {
        upstream = try Upstream()
        path = try Upstream.trendingPaths()[0]
    }

    /// nginx in front of the origin, which speaks TLS for it.
    private func front(name: String = "IP:127.0.0.1") throws -> Nginx {
        try Nginx(
            name: name, http2: true,
            location: "proxy_pass http://127.0.0.1:\(upstream.origin.port);")
    }

    @Test(
        "certificates are verified, by the roots of --ca-file where it is given",
        .enabled(if: Nginx.isInstalled))
    func verified() throws {
        let front = try front()
        var program = upstream.program()
        program.environment["ONESHEET_IMAGE_BASE"] = "https://127.0.0.1:\(front.port)/t/p"
        let stranger = try program.run("get", path)
        #expect(stranger.status == 69)
        #expect(stranger.messages.contains("tls: "), "\(stranger.messages)")
        #expect(upstream.origin.totalRequests == 0)
        // The failure stands for the host for a minute; a cache of its own knows nothing of it.
        let friend = try program.run(
            "get", "--ca-file", front.certificate.certificate, "--cache-dir", "other", path)
        #expect(friend.output == (try Upstream.bytes("posters/w342\(path)")))
        let log = try #require(upstream.origin.log.first)
        #expect(log.header("User-Agent")?.hasPrefix("onesheet/") == true)
        program.environment["ONESHEET_IMAGE_BASE"] = "https://localhost:\(front.port)/t/p"
        let misnamed = try program.run("get", "--ca-file", front.certificate.certificate, path)
        #expect(misnamed.status == 69)
        #expect(misnamed.messages.contains("tls: "), "\(misnamed.messages)")
    }

    @Test(
        "a proxy is used where a variable names it",
        arguments: [
            (["http_proxy"], nil, true), (["all_proxy"], nil, true), (["ALL_PROXY"], nil, true),
            // A CGI's clients could set this one (CVE-2016-5385).
            (["HTTP_PROXY"], nil, false), (["https_proxy"], nil, false),
            (["http_proxy"], "127.0.0.1", false), (["http_proxy"], "*", false),
            (["http_proxy"], "other.example", true),
        ] as [([String], String?, Bool)])
    func proxied(variables: [String], exceptions: String?, isUsed: Bool) throws {
        let proxy = RecordingProxy()
        var program = upstream.program()
        for variable in variables {
            program.environment[variable] = "http://127.0.0.1:\(proxy.port)"
        }
        program.environment["no_proxy"] = exceptions
        let outcome = try program.run("get", path)
        #expect(outcome.status == 0, "\(outcome.messages)")
        #expect(
            proxy.requests
                == (isUsed ? ["GET \(upstream.origin.imageBase)/w342\(path) HTTP/1.1"] : []))
    }

    @Test(
        "through a proxy the key goes in TLS alone, and the certificate is the host's",
        .enabled(if: Nginx.isInstalled))
    func tunnelled() throws {
        let (front, proxy) = (try front(), RecordingProxy())
        var program = upstream.program()
        program.environment["ONESHEET_API_BASE"] = "https://127.0.0.1:\(front.port)/3"
        program.environment["https_proxy"] = "http://127.0.0.1:\(proxy.port)"
        let ours = front.certificate.certificate
        let outcome = try program.run("prefetch", "--ca-file", ours, "--json")
        #expect(outcome.status == 0, "\(outcome.messages)")
        #expect(try outcome.numbers("fetched") == [18])
        #expect(proxy.requests == ["CONNECT 127.0.0.1:\(front.port) HTTP/1.1"])
        // The proxy's 200 is not the host's.
        let unknown = try program.run("prefetch", "--ca-file", ours, "--list", "nowhere")
        #expect(unknown.status == 69)
        #expect(unknown.messages.contains("404"), "\(unknown.messages)")
        #expect(!proxy.text.contains(Upstream.key))
        #expect(!proxy.text.contains("Authorization"))
        #expect(
            upstream.origin.log.first?.header("Authorization") == "Bearer \(Upstream.key)")
    }

    @Test func `a proxy that is not there is a host that cannot be reached`() throws {
        var program = upstream.program()
        program.environment["http_proxy"] = "http://127.0.0.1:9"
        let outcome = try program.run("get", path)
        #expect(outcome.status == 69)
        #expect(outcome.messages.contains("connect: "))
        #expect(upstream.origin.totalRequests == 0)
    }
}
