import Foundation
import Testing
import TestSupport

@testable import onesheet

/// What a service manager and a log rotation do with the real program.
@Suite struct ServeUnderManagerTests {
    /// A datagram socket as `NOTIFY_SOCKET` names it.
    private final class Manager {
        let file: Int32

        init(_ path: String) throws {
            file = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let isAbstract = path.hasPrefix("@")
            withUnsafeMutableBytes(of: &address.sun_path) {
                $0.copyBytes(from: path.utf8)
                if isAbstract { $0[0] = 0 }
            }
            let place = MemoryLayout.offset(of: \sockaddr_un.sun_path) ?? 2
            let length = place + path.utf8.count + (isAbstract ? 0 : 1)
            let status = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(file, $0, socklen_t(length))
                }
            }
            try #require(status == 0)
        }

        deinit { close(file) }

        /// The next news, within half a minute.
        func news() -> String? {
            var waiting = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, 30_000) == 1 else { return nil }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = recv(file, &buffer, buffer.count, 0)
            return count < 0 ? nil : String(decoding: buffer.prefix(count), as: UTF8.self)
        }
    }

    @Test(
        "readiness and the end are told to the socket that NOTIFY_SOCKET names",
        arguments: [true, false])
    func notifies(isAbstract: Bool) throws {
        let upstream = try Upstream()
        var program = upstream.program()
        let path = (isAbstract ? "@" : "") + program.directory.path + "/n"
        let manager = try Manager(path)
        program.environment["NOTIFY_SOCKET"] = path
        let server = try RunningServer(program)
        #expect(manager.news() == "READY=1")
        server.running.signal(SIGTERM)
        #expect(manager.news() == "STOPPING=1")
        #expect(try server.stop(0) == 0)
    }

    @Test func `a socket that listens already is served, and the clients in its backlog`() throws {
        let upstream = try Upstream()
        let listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listening) }
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                #expect(bind(listening, $0, length) == 0)
                #expect(listen(listening, 16) == 0)
                #expect(getsockname(listening, $0, &length) == 0)
            }
        }
        let port = UInt16(bigEndian: address.sin_port)
        // The manager's part: descriptor 3, and the variables with the service's own number.
        let program = upstream.program()
        let output = Pipe()
        let script = "LISTEN_PID=$$ LISTEN_FDS=1 exec \"$0\" serve --listen 192.0.2.1:1"
        let files = [
            open("/dev/null", O_RDONLY), output.fileHandleForWriting.fileDescriptor,
            open("/dev/null", O_WRONLY), listening,
        ]
        defer { for file in [files[0], files[2]] { close(file) } }
        let process = try program.spawn(
            [BuiltProgram.path], files: files, through: ["/bin/sh", "-c", script])
        try output.fileHandleForWriting.close()
        let line = read(from: output, until: "\n")
        #expect(line.hasSuffix(":\(port)\n"), "\(line)")
        #expect(try fetch("/healthz", port: port).status == 200)
        kill(process, SIGTERM)
        #expect(waitForExit(process) == 0)
    }

    @Test func `more than one socket is refused, and those of another process are not ours`() throws
    {
        let upstream = try Upstream()
        let program = upstream.program()
        let nothing = open("/dev/null", O_RDWR)
        defer { close(nothing) }
        let two = "LISTEN_PID=$$ LISTEN_FDS=2 exec \"$0\" serve --listen 127.0.0.1:0"
        let process = try program.spawn(
            [BuiltProgram.path], files: [nothing, nothing, nothing],
            through: ["/bin/sh", "-c", two])
        #expect(waitForExit(process) == 78)
        var another = program
        another.environment["LISTEN_PID"] = "1"
        another.environment["LISTEN_FDS"] = "1"
        let server = try RunningServer(another)
        #expect(try server.get("/healthz").status == 200)
        #expect(try server.stop(SIGTERM) == 0)
    }

    @Test(arguments: ["logfmt", "json"])
    func `the access log goes on in a new file after a hangup`(format: String) throws {
        let upstream = try Upstream()
        let program = upstream.program()
        let server = try RunningServer(
            program, "--access-log", "access.log", "--access-log-format", format)
        #expect(try server.get("/healthz").status == 200)
        let folder = program.directory.path
        // A line is written beside the answer.
        while try program.bytes("access.log").isEmpty { usleep(5000) }
        #expect(rename("\(folder)/access.log", "\(folder)/access.log.1") == 0)
        server.running.signal(SIGHUP)
        // The file is there a moment before lines go into it.
        while !server.messages().contains("event=access_log_reopened") { usleep(5000) }
        #expect(try server.get("/readyz").status == 200)
        #expect(try server.stop(SIGTERM) == 0)
        let old = String(decoding: try program.bytes("access.log.1"), as: UTF8.self)
        let new = String(decoding: try program.bytes("access.log"), as: UTF8.self)
        #expect((old + new).split(separator: "\n").count == 2)
        #expect(old.contains("/healthz") && new.contains("/readyz"))
        #expect(old.hasPrefix(format == "json" ? "{" : "time="))
    }
}
