import Foundation

/// nginx on a port of 127.0.0.1 that the system picked, until the test lets go of it.
package final class Nginx: Sendable {
    package static let program = "/usr/sbin/nginx"
    package static let isInstalled =
        FileManager.default.isExecutableFile(atPath: program) && TestCertificate.canBeMade

    /// What its certificate vouches for, and is trusted by; of no use where it speaks no TLS.
    package let certificate: TestCertificate
    package let port: UInt16
    private let folder = TemporaryDirectory()
    private let process: Process

    /// With TLS. `location` is what nginx does with a request, in its own words:
    /// `return 200 "hello";`.
    package convenience init(
        name: String = "IP:127.0.0.1", http2: Bool = false, location: String
    ) throws {
        let certificate = TestCertificate(name: name)
        try self.init(certificate) { port in
            """
            server {
                listen 127.0.0.1:\(port) ssl \(http2 ? "http2" : "");
                ssl_certificate \(certificate.certificate);
                ssl_certificate_key \(certificate.key);
                location / { \(location) }
            }
            """
        }
    }

    /// A site as a file has it, which listens on port 80 there.
    package convenience init(site: String) throws {
        try self.init(TestCertificate(name: "IP:127.0.0.1")) { port in
            site.replacingOccurrences(of: "listen 80;", with: "listen 127.0.0.1:\(port);")
        }
    }

    private init(_ certificate: TestCertificate, server: (UInt16) -> String) throws {
        self.certificate = certificate
        // It takes over a socket that listens already: nobody need wait for it, and nobody can
        // take the port meanwhile.
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        port = try Self.listen(listener)
        let path = folder.path
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
            "\($0)_temp_path \(path)/\($0);"
        }
        // Its workers read the test's folders, which are nobody else's.
        let user = geteuid() == 0 ? "user root;" : ""
        let text = """
            \(user) daemon off; pid \(path)/pid; error_log \(path)/errors;
            events {}
            http {
                access_log off;
                \(temporary.joined(separator: "\n"))
                \(server(port))
            }
            """
        _ = FileManager.default.createFile(atPath: "\(path)/conf", contents: Data(text.utf8))
        process = Process()
        process.executableURL = URL(filePath: Self.program)
        process.arguments = ["-p", path, "-c", "\(path)/conf"]
        process.environment = ["NGINX": "0;"]
        process.standardInput = FileHandle(fileDescriptor: listener)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    // Its worker ends with the master, which waits for signals with none of them blocked.
    deinit { kill(process.processIdentifier, SIGTERM) }

    private static func listen(_ listener: Int32) throws -> UInt16 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && Glibc.listen(listener, 64) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening else { throw POSIXError(.EADDRINUSE) }
        return UInt16(bigEndian: address.sin_port)
    }
}
