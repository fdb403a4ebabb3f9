import Foundation
import TestSupport
import Testing

@testable import PosterKit

@Suite(.enabled(if: TLSHost.isInstalled)) struct TLSTests {
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

    @Test func `roots that cannot be read refuse everybody`() throws {
        let host = try TLSHost(name: "IP:127.0.0.1")
        let error = #expect(throws: FetchError.self) { try fetch(host, caFile: "/nowhere.pem") }
        #expect(error?.reason == .tls)
    }
}

/// OpenSSL's test server on loopback, with a certificate of a test's own.
private final class TLSHost {
    private static let program = "/usr/bin/openssl"
    static let isInstalled = FileManager.default.isExecutableFile(atPath: program)

    private let folder = TemporaryDirectory()
    private let server = Process()
    let port: Int
    var certificate: String { "\(folder.path)/certificate.pem" }

    /// `name` as a subject alternative name; `options` are those of `openssl s_server`.
    init(name: String, days: Int = 2, options: [String] = []) throws {
        let path = folder.path
        try Data("subjectAltName=\(name)\nbasicConstraints=CA:TRUE\n".utf8).write(
            to: URL(filePath: "\(path)/extensions"))
        try Self.run(
            "req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=test"
                + " -keyout \(path)/key.pem -out \(path)/request.pem")
        try Self.run(
            "x509 -req -in \(path)/request.pem -signkey \(path)/key.pem -days \(days)"
                + " -extfile \(path)/extensions -out \(path)/certificate.pem")
        server.executableURL = URL(filePath: Self.program)
        server.arguments =
            ["s_server", "-accept", "127.0.0.1:0", "-www", "-key", "\(path)/key.pem"]
            + ["-cert", "\(path)/certificate.pem"] + options
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

    private static func run(_ arguments: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments.split(separator: " ").map(String.init)
        process.standardError = FileHandle.nullDevice
        // waitUntilExit() turns the run loop of its thread, and may miss the end on Linux.
        let status = Monitor<Int32?>(nil)
        process.terminationHandler = { process in
            status.withLock { $0 = process.terminationStatus }
            status.signal()
        }
        try process.run()
        try #require(status.wait { $0 } == 0)
    }
}
