import Foundation
import Testing

/// `onesheet serve` on a port that the system picked.
final class RunningServer: Sendable {
    let program: BuiltProgram
    let running: RunningProgram
    /// The ready line.
    let line: String
    let port: UInt16

    convenience init(_ program: BuiltProgram, _ options: String...) throws {
        try self.init(program, options)
    }

    init(_ program: BuiltProgram, _ options: [String], messagesTo messages: Int32? = nil) throws {
        self.program = program
        let output = Pipe()
        running = try program.start(
            ["serve", "--listen", "127.0.0.1:0"] + options,
            outputTo: output.fileHandleForWriting.fileDescriptor, messagesTo: messages)
        try output.fileHandleForWriting.close()
        line = read(from: output, until: "\n")
        let digits = line.components(separatedBy: "127.0.0.1:").last?.prefix(while: \.isNumber)
        port = try #require(digits.flatMap { UInt16($0) }, "\(line)")
    }

    /// A server that its test has not stopped ends with it; one that was waited for is no child any
    /// more.
    deinit {
        guard waitpid(running.process, nil, WNOHANG) == 0 else { return }
        kill(running.process, SIGKILL)
        waitpid(running.process, nil, 0)
    }

    /// Asks for one path, and reads the answer to its end.
    func get(_ path: String, token: String? = nil) throws -> (status: Int, body: [UInt8]) {
        try Self.get(path, port: port, token: token)
    }

    /// Asks whoever listens on a port.
    static func get(
        _ path: String, port: UInt16, token: String? = nil
    ) throws -> (status: Int, body: [UInt8]) {
        try fetch(path, port: port, token: token)
    }

    /// Sends a signal (0: none), and waits for the end.
    func stop(_ signal: Int32) throws -> Int32 {
        if signal != 0 { running.signal(signal) }
        return try running.wait().status
    }

    /// The number that its next descriptor will have, once it has closed those of requests that have
    /// ended: it does so some time after their answers.
    func nextDescriptor() throws -> Int {
        let folder = "/proc/\(running.process)/fd"
        var (taken, looks) = (Set<String>(), 0)
        // The same for a fifth of a second.
        while looks < 20 {
            let now = Set(try FileManager.default.contentsOfDirectory(atPath: folder))
            (taken, looks) = (now, now == taken ? looks + 1 : 0)
            usleep(10_000)
        }
        return (0...).first { !taken.contains("\($0)") } ?? 0
    }

    /// Waits until nobody is let in any more.
    func waitUntilShut() throws {
        for _ in 0..<100_000 {
            do { _ = try get("/healthz") } catch { return }
        }
        Issue.record("it still lets clients in")
    }

    /// Waits until the kernel has halted every thread of it.
    func waitUntilHalted() throws {
        for _ in 0..<100_000 {
            let line = try String(
                contentsOfFile: "/proc/\(running.process)/stat", encoding: .utf8)
            if line.contains(") T ") { return }
            sched_yield()
        }
        Issue.record("it does not halt")
    }

    /// What it wrote to standard error.
    func messages() -> String {
        (try? String(contentsOfFile: running.messageFile, encoding: .utf8)) ?? ""
    }
}

/// Asks a server on loopback for one path, and reads the answer to its end.
func fetch(
    _ path: String, port: UInt16, token: String? = nil
) throws -> (status: Int, body: [UInt8]) {
    let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(file) }
    // A server that says nothing more is a failure, and must not be waited for in vain.
    var limit = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(
        file, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(file, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    guard connected == 0 else { throw POSIXError(.ECONNREFUSED) }
    let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
    let request = "GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\(authorization)\r\n"
    guard send(file, request, request.utf8.count, Int32(MSG_NOSIGNAL)) > 0 else {
        throw POSIXError(.EPIPE)
    }
    var (answer, piece) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
    while case let count = recv(file, &piece, piece.count, 0), count > 0 {
        answer += piece[..<count]
    }
    let text = String(decoding: answer.prefix(32), as: UTF8.self)
    guard let status = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
        throw POSIXError(.ECONNRESET)
    }
    let head = Data(answer).range(of: Data("\r\n\r\n".utf8))
    return (status, Array(answer[(head?.upperBound ?? answer.count)...]))
}
