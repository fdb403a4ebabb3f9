import Foundation
import Testing
import TestSupport

@testable import FixtureOrigin

/// `serve` where the system gives no more.
@Suite struct ServeLimitsTests {
    @Test func `without a descriptor for a client it waits without work, and serves it later`()
        throws
    {
        let upstream = try Upstream()
        let server = try RunningServer(upstream.program())
        #expect(try server.get("/healthz").status == 200)
        // As many as are open: not one more.
        let free = try server.nextDescriptor()
        try limit(server, "--nofile=\(free):")
        let waiting = Elsewhere { try server.get("/healthz").status }
        while !server.messages().contains("event=accept_failed") { sched_yield() }
        let before = try ticks(of: server)
        // 20 of its waits.
        usleep(2_000_000)
        // A loop that never waits takes 200, or on a busy machine what the others leave.
        #expect(try ticks(of: server) - before < 10)
        try limit(server, "--nofile=1024:")
        #expect(try waiting.wait() == 200)
        #expect(server.messages().components(separatedBy: "accept_failed").count == 2)
        #expect(try server.stop(SIGTERM) == 0)
    }

    /// Clock ticks of processor time that a server has taken (proc(5)).
    private func ticks(of server: RunningServer) throws -> Int {
        let text = try String(
            contentsOfFile: "/proc/\(server.running.process)/stat", encoding: .utf8)
        let fields = text.components(separatedBy: ") ").last?.split(separator: " ") ?? []
        return try #require(Int(fields[11])) + (try #require(Int(fields[12])))
    }

    private func limit(_ server: RunningServer, _ option: String) throws {
        let command = Process()
        command.executableURL = URL(fileURLWithPath: "/usr/bin/prlimit")
        command.arguments = ["--pid", "\(server.running.process)", option]
        try command.run()
        command.waitUntilExit()
        #expect(command.terminationStatus == 0)
    }
}

@Suite struct StalledLogTests {
    @Test(
        "a log that nothing reads holds up no request, and not the end",
        arguments: [("stderr", "logfmt"), ("FIFO", "json")])
    func stalled(place: String, format: String) throws {
        let upstream = try Upstream()
        let program = upstream.program()
        let errors = Pipe()
        let fifo = "\(program.directory.path)/FIFO"
        try #require(mkfifo(fifo, 0o600) == 0)
        let server = try RunningServer(
            program, ["--access-log", place == "FIFO" ? fifo : "-", "--access-log-format", format],
            messagesTo: errors.fileHandleForWriting.fileDescriptor)
        // Far more lines than a pipe and the queue hold.
        let target = "/healthz?" + String(repeating: "x", count: 1500)
        for _ in 0..<4500 { #expect(try server.get(target).status == 200) }
        #expect(try server.stop(SIGTERM) == 0)
    }
}
