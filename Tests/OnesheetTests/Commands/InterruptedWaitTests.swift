import Foundation
import Testing
import TestSupport

@testable import onesheet

/// What waits for a pipe, a FIFO or a terminal ends when it is told to.
@Suite struct InterruptedWaitTests {
    /// A command line, and how it is brought to wait: `FIFO` stands for one that no other process has open.
    struct Case: CustomTestStringConvertible, Sendable {
        var words: [String]
        /// Whether the command itself takes the signal: it has a thread for that.
        var takesSignals: Bool
        var testDescription: String { words.joined(separator: " ") }

        static let all = [
            Case(words: ["prefetch", "--from", "-"], takesSignals: true),
            Case(words: ["prefetch", "--from", "FIFO"], takesSignals: true),
            Case(words: ["thumbnail", "--size", "9x9", "-o", "t.jpg", "-"], takesSignals: true),
            Case(
                words: ["thumbnail", "--size", "9x9", "-o", "FIFO", "poster.jpg"],
                takesSignals: true),
            Case(words: ["resolve"], takesSignals: false),
            Case(words: ["placeholder", "-o", "FIFO"], takesSignals: false),
            Case(words: ["get", "-o", "FIFO", "--placeholder", "null"], takesSignals: false),
        ]
    }

    @Test("a signal ends a wait", arguments: Case.all, [SIGINT, SIGTERM])
    func interrupted(row: Case, signal: Int32) throws {
        try check(row, signal) { program in
            let input = Pipe()
            let process = try spawn(row, program, input.fileHandleForReading.fileDescriptor)
            return (process, { withExtendedLifetime(input) {} })
        }
    }

    @Test("so it does at a terminal", arguments: [Case.all[0], Case.all[2], Case.all[4]])
    func terminal(row: Case) throws {
        try check(row, SIGTERM) { program in
            let terminal = try PseudoTerminal(columns: 80)
            let process = try spawn(row, program, terminal.line)
            return (process, { withExtendedLifetime(terminal) {} })
        }
    }

    @Test func `a reader of its output that does not read holds nothing up`() throws {
        let program = BuiltProgram()
        let path = try #require(try Upstream.trendingPaths().first)
        try program.write("poster.jpg", try Upstream.bytes("posters/w500\(path)"))
        let output = Pipe()
        let null = open("/dev/null", O_RDWR)
        defer { close(null) }
        // More than a pipe holds, and then a wait for room.
        let words = ["thumbnail", "-s", "500x750", "-f", "png", "-o", "-", "poster.jpg"]
        let process = try program.spawn(
            words, files: [null, output.fileHandleForWriting.fileDescriptor, null])
        var waiting: Int32 = 0
        while waiting < 65_536 {
            let state = ioctl(output.fileHandleForReading.fileDescriptor, UInt(FIONREAD), &waiting)
            try #require(state == 0)
            sched_yield()
        }
        kill(process, SIGTERM)
        #expect(try exit(of: process) == 128 + SIGTERM)
    }

    private func check(
        _ row: Case, _ signal: Int32, start: (BuiltProgram) throws -> (pid_t, () -> Void)
    ) throws {
        let program = BuiltProgram(environment: ["ONESHEET_IMAGE_BASE": "http://127.0.0.1:9/t/p"])
        try program.write("poster.jpg", try Upstream.bytes("odd/photo.jpg"))
        try #require(mkfifo("\(program.directory.path)/FIFO", 0o600) == 0)
        let (process, keep) = try start(program)
        defer { keep() }
        try waitUntilWaiting(process, hasSignalThread: row.takesSignals)
        kill(process, signal)
        let status = try #require(try exit(of: process), "it goes on waiting")
        #expect(status == (row.takesSignals ? 128 + signal : -signal))
    }

    private func spawn(_ row: Case, _ program: BuiltProgram, _ input: Int32) throws -> pid_t {
        let null = open("/dev/null", O_RDWR)
        defer { close(null) }
        return try program.spawn(row.words, files: [input, null, null])
    }

    /// Until one of its threads waits in poll(2), read(2) or open(2), as proc(5) tells, and the one
    /// that takes signals is there.
    private func waitUntilWaiting(_ process: pid_t, hasSignalThread: Bool) throws {
        let waits = ["poll", "pipe", "wait_for_partner", "n_tty", "wait_woken", "fifo"]
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end {
            sched_yield()
            let folder = "/proc/\(process)/task"
            let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            func texts(_ file: String) -> [String] {
                threads.compactMap {
                    try? String(contentsOfFile: "\(folder)/\($0)/\(file)", encoding: .utf8)
                }
            }
            guard try isOnesheet(process) else { continue }
            if hasSignalThread, !texts("comm").contains("signals\n") { continue }
            if texts("wchan").contains(where: { place in waits.contains { place.contains($0) } }) {
                return
            }
        }
        throw NeverWaits()
    }

    private struct NeverWaits: Error {}

    /// env(1), which starts it, has left.
    private func isOnesheet(_ process: pid_t) throws -> Bool {
        let name = try String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)
        return name == "onesheet\n"
    }

    /// How it ended; `nil` when it has not for a long time.
    private func exit(of process: pid_t) throws -> Int32? {
        let end = ContinuousClock.now + .seconds(30)
        var status: Int32 = 0
        while waitpid(process, &status, WNOHANG) == 0 {
            guard ContinuousClock.now < end else {
                kill(process, SIGKILL)
                waitpid(process, &status, 0)
                return nil
            }
            usleep(1000)
        }
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
    }
}
