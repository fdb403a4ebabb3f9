import Foundation

/// HAProxy on a port of 127.0.0.1 that the system picked, until the test lets go of it.
package final class Haproxy: Sendable {
    package static let program = "/usr/sbin/haproxy"
    package static let isInstalled =
        FileManager.default.isExecutableFile(atPath: program) && TestCertificate.canBeMade

    /// What its certificate vouches for, and is trusted by.
    package let certificate = TestCertificate(name: "IP:127.0.0.1")
    package let port: UInt16
    private let folder = TemporaryDirectory()
    private let process = Process()

    /// A front as a file has it. What listens on port 443 there takes over a socket; what listens
    /// on port 80 listens on ``plainSocket``.
    package init(front: String) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        port = try listenOnLoopback(listener)
        let both = "\(folder.path)/both.pem"
        let parts = [certificate.certificate, certificate.key].compactMap(
            FileManager.default.contents(atPath:))
        _ = FileManager.default.createFile(atPath: both, contents: Data(parts.joined()))
        let text =
            front
            .replacingOccurrences(of: "bind :80", with: "bind unix@\(folder.path)/plain")
            .replacingOccurrences(of: "bind :443", with: "bind fd@0")
            .replacingOccurrences(of: "/etc/haproxy/onesheet.pem", with: both)
        _ = FileManager.default.createFile(atPath: configuration, contents: Data(text.utf8))
        let alone = text.replacingOccurrences(of: "fd@0", with: "127.0.0.1:\(port)")
        _ = FileManager.default.createFile(atPath: checked, contents: Data(alone.utf8))
        process.executableURL = URL(filePath: Self.program)
        process.arguments = ["-db", "-f", configuration]
        process.standardInput = FileHandle(fileDescriptor: listener)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    deinit { kill(process.processIdentifier, SIGTERM) }

    package var plainSocket: String { "\(folder.path)/plain" }
    private var configuration: String { "\(folder.path)/haproxy.cfg" }
    /// The file with this port and certificate, for `haproxy -c`.
    package var checked: String { "\(folder.path)/checked.cfg" }
}
