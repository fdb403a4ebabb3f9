import Glibc
import Testing

@testable import FixtureOrigin

/// The built program itself: its one line, its exit codes, its end.
@Suite(.timeLimit(.minutes(2))) struct ProgramTests {
    @Test(
        "it prints where it listens, serves, and ends well on a signal",
        arguments: [SIGTERM, SIGINT])
    func serves(signal: Int32) throws {
        let folder = FixtureFolder()
        let program = try #require(Program(["--fixtures", folder.path, "--key=k"]))
        let line = program.readLine()
        #expect(line.hasPrefix("FixtureOrigin listening on http://127.0.0.1:"))
        let port = try #require(line.split(separator: ":").last.flatMap { UInt16($0) })
        let target = "/3/trending/movie/week"
        #expect(fetch(port, target, "Authorization: Bearer k").response.status == 200)
        kill(program.process, signal)
        #expect(program.exitCode() == 0)
    }

    @Test(
        "it refuses what it cannot do with the code for it",
        arguments: [
            (["--help"], Int32(0)), (["--wrong"], EX_USAGE),
            (["--fixtures", "/nonexistent"], EX_NOINPUT),
        ] as [([String], Int32)])
    func refuses(words: [String], code: Int32) throws {
        let program = try #require(Program(words))
        #expect(program.exitCode() == code)
    }
}

/// The program beside the test bundle, started with a pipe from its standard output.
private final class Program {
    let process: pid_t
    private let output: Int32

    init?(_ words: [String]) {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        let own = String(decoding: buffer.prefix(max(count, 0)).map(UInt8.init), as: UTF8.self)
        guard let slash = own.lastIndex(of: "/") else { return nil }
        let path = own[..<slash] + "/FixtureOrigin"

        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)

        var arguments = ([String(path)] + words).map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        let status = posix_spawn(&process, String(path), &actions, nil, &arguments, environ)
        close(ends[1])
        self.process = process
        output = ends[0]
        if status != 0 { return nil }
    }

    deinit { close(output) }

    func readLine() -> String {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(output, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
        return String(decoding: line, as: UTF8.self)
    }

    /// Blocks until the program has ended; -1 when a signal ended it.
    func exitCode() -> Int32 {
        var status: Int32 = 0
        waitpid(process, &status, 0)
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : -1
    }
}
