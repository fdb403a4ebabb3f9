import Foundation
import Testing
import TestSupport

@testable import PosterFetch
@testable import PosterKit

@Suite(.enabled(if: TestCertificate.canBeMade)) struct TLSTests {
    private func fetch(_ host: TLSHost, caFile: String?) throws(FetchError) -> FetchResponse {
        var worker = TransferWorker(userAgent: "onesheet-test", caFile: caFile)
        return try worker.fetch(
            FetchRequest(
                url: "https://127.0.0.1:\(host.port)/", accept: "*/*", maxBytes: 1 << 20,
                maxRedirects: 0, timeout: .seconds(15)))
    }

    @Test func `a certificate of a private root is taken where that root is named`() throws {
        let host = try TLSHost(name: "IP:127.0.0.1")
        #expect(try fetch(host, caFile: host.certificate).status == 200)
    }

    @Test func `a certificate that nobody vouches for is refused`() throws {
        let host = try TLSHost(name: "IP:127.0.0.1")
        let error = #expect(throws: FetchError.self) { try fetch(host, caFile: nil) }
        #expect(error?.reason == .tls)
        #expect(error?.detail.contains("certificate") == true)
    }

    @Test func `a certificate of another name is refused`() throws {
        let host = try TLSHost(name: "DNS:other.example")
        let error = #expect(throws: FetchError.self) { try fetch(host, caFile: host.certificate) }
        #expect(error?.reason == .tls)
    }

    @Test func `a certificate that has expired is refused`() throws {
        let host = try TLSHost(name: "IP:127.0.0.1", days: -1)
        let error = #expect(throws: FetchError.self) { try fetch(host, caFile: host.certificate) }
        #expect(error?.reason == .tls)
        #expect(error?.detail.contains("expired") == true)
    }

    @Test func `a host that speaks old TLS only is refused`() throws {
        let host = try TLSHost(
            name: "IP:127.0.0.1", options: ["-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"])
        let error = #expect(throws: FetchError.self) { try fetch(host, caFile: host.certificate) }
        #expect(error?.reason == .tls)
    }

    @Test(
        "a host that speaks HTTP/2 is spoken to in it, on one connection",
        .enabled(if: Nginx.isInstalled), arguments: [true, false])
    func version(isHTTP2: Bool) throws {
        let host = try Nginx(
            http2: isHTTP2,
            location: #"return 200 "$server_protocol, $connection_requests on this connection";"#)
        var worker = TransferWorker(
            userAgent: "onesheet-test", caFile: host.certificate.certificate)
        let protocolName = isHTTP2 ? "HTTP/2.0" : "HTTP/1.1"
        for count in 1...3 {
            let response = try worker.fetch(
                FetchRequest(
                    url: "https://127.0.0.1:\(host.port)/", accept: "*/*", maxBytes: 1 << 20,
                    maxRedirects: 0, timeout: .seconds(15)))
            #expect(
                String(decoding: response.body, as: UTF8.self)
                    == "\(protocolName), \(count) on this connection")
        }
    }

    @Test func `roots that cannot be read refuse everybody`() throws {
        let host = try TLSHost(name: "IP:127.0.0.1")
        let error = #expect(throws: FetchError.self) { try fetch(host, caFile: "/nowhere.pem") }
        #expect(error?.reason == .tls)
    }
}

/// OpenSSL's test server on loopback, with a certificate of a test's own.
private final class TLSHost {
    private let own: TestCertificate
    private let server = Process()
    let port: Int
    var certificate: String { own.certificate }

    /// `name` as a subject alternative name; `options` are those of `openssl s_server`.
    init(name: String, days: Int = 2, options: [String] = []) throws {
        own = TestCertificate(name: name, days: days)
        server.executableURL = URL(filePath: TestCertificate.program)
        server.arguments =
            ["s_server", "-accept", "127.0.0.1:0", "-www", "-key", own.key]
            + ["-cert", own.certificate] + options
        let output = Pipe()
        server.standardOutput = output
        server.standardError = FileHandle.nullDevice
        server.standardInput = FileHandle.nullDevice
        try server.run()
        // Its first lines end with the port that it was given: ACCEPT 127.0.0.1:40123
        var text = ""
        while !text.contains("ACCEPT ") || text.last != "\n" {
            let piece = output.fileHandleForReading.availableData
            try #require(!piece.isEmpty, "openssl s_server did not start")
            text += String(decoding: piece, as: UTF8.self)
        }
        let last = text.split(separator: "\n").last?.split(separator: ":").last
        port = try #require(last.flatMap { Int($0) })
    }

    // It inherits the signals that its thread has blocked, and this one cannot be.
    deinit { kill(server.processIdentifier, SIGKILL) }
}
