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
        try self.init(certificate) { port, _ in
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
        try self.init(TestCertificate(name: "IP:127.0.0.1")) { port, _ in
            site.replacingOccurrences(of: "listen 80;", with: "listen 127.0.0.1:\(port);")
        }
    }

    /// A site as a file has it, which speaks TLS on port 443 there, on `::` too. What listens on
    /// port 80 listens on ``plainSocket``, and what it logs is in ``log``.
    package convenience init(front: String) throws {
        let certificate = TestCertificate(name: "IP:127.0.0.1")
        try self.init(certificate) { port, folder in
            let lines = front.split(separator: "\n", omittingEmptySubsequences: false)
            return lines.filter { !$0.contains("listen [::]:") }.joined(separator: "\n")
                .replacingOccurrences(of: "listen 80;", with: "listen unix:\(folder)/plain;")
                .replacingOccurrences(of: "listen 443 ", with: "listen 127.0.0.1:\(port) ")
                .replacingOccurrences(
                    of: "/etc/ssl/onesheet/certificate.pem", with: certificate.certificate
                )
                .replacingOccurrences(of: "/etc/ssl/onesheet/key.pem", with: certificate.key)
                .replacingOccurrences(of: "/var/log/nginx/onesheet.log", with: "\(folder)/log")
                .replacingOccurrences(of: " buffer=64k flush=5s", with: "")
        }
    }

    /// Of a front.
    package var plainSocket: String { "\(folder.path)/plain" }
    /// Of a front: a line a request.
    package var log: String { "\(folder.path)/log" }

    private init(
        _ certificate: TestCertificate, server: (_ port: UInt16, _ folder: String) -> String
    ) throws {
        self.certificate = certificate
        // It takes over a socket that listens already: nobody need wait for it, and nobody can
        // take the port meanwhile.
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        port = try listenOnLoopback(listener)
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
                \(server(port, path))
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
}
