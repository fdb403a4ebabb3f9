import Foundation

/// A key and a certificate of a test's own, which vouches for itself. Takes OpenSSL's program.
package final class TestCertificate: Sendable {
    package static let program = "/usr/bin/openssl"
    package static let canBeMade = FileManager.default.isExecutableFile(atPath: program)

    private let folder = TemporaryDirectory()
    /// Files in PEM.
    package var key: String { "\(folder.path)/key.pem" }
    package var certificate: String { "\(folder.path)/certificate.pem" }

    /// `name` as a subject alternative name: `IP:127.0.0.1`, `DNS:img.example`.
    package init(name: String, days: Int = 2) {
        let path = folder.path
        let extensions = Data("subjectAltName=\(name)\nbasicConstraints=CA:TRUE\n".utf8)
        _ = FileManager.default.createFile(atPath: "\(path)/extensions", contents: extensions)
        Self.run(
            "req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=test"
                + " -keyout \(key) -out \(path)/request.pem")
        Self.run(
            "x509 -req -in \(path)/request.pem -signkey \(key) -days \(days)"
                + " -extfile \(path)/extensions -out \(certificate)")
    }

    private static func run(_ arguments: String) {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments.split(separator: " ").map(String.init)
        process.standardError = FileHandle.nullDevice
        // waitUntilExit() turns the run loop of its thread, and may miss the end on Linux.
        let ended = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in ended.signal() }
        do { try process.run() } catch { fatalError("cannot run openssl: \(error)") }
        ended.wait()
        guard process.terminationStatus == 0 else { fatalError("openssl \(arguments) failed") }
    }
}
