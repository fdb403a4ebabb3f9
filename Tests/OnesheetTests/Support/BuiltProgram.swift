import Foundation
import Testing
import TestSupport

/// Runs the built `onesheet` as a shell would, in an environment of its own.
struct BuiltProgram: Sendable {
    /// What a run came to.
    struct Outcome: Sendable {
        var status: Int32
        var output: [UInt8]
        var messages: String

        var text: String { String(decoding: output, as: UTF8.self) }
        var lines: [String] {
            text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(
                String.init)
        }
    }

    /// A directory of the test's own: home, working directory, and place of the cache.
    let directory = TemporaryDirectory()
    /// Variables of the program's environment, beside `HOME` and `PATH`.
    var environment: [String: String] = [:]

    /// Where the cache lies.
    var cache: String { directory.path + "/cache" }

    /// Runs it to its end. `input` is what it reads on standard input.
    func run(_ words: String..., input: String = "") throws -> Outcome {
        try run(words, input: input)
    }

    /// Runs it to its end.
    func run(_ words: [String], input: String = "") throws -> Outcome {
        try start(words, input: input).wait()
    }

    /// Starts it, and lets it run. Its output and messages go to files, or where they are told to.
    func start(
        _ words: [String], input: String = "", outputTo output: Int32? = nil,
        messagesTo messages: Int32? = nil
    ) throws -> RunningProgram {
        let number = UUID().uuidString
        let files = (0..<3).map { "\(directory.path)/.run-\(number)-\($0)" }
        try Data(input.utf8).write(to: URL(fileURLWithPath: files[0]))
        let flags = [O_RDONLY, O_WRONLY | O_CREAT, O_WRONLY | O_CREAT]
        let opened = zip(files, flags).map { open($0, $1 | O_CLOEXEC, 0o600) }
        defer { for file in opened { close(file) } }
        let child = try spawn(
            words, files: [opened[0], output ?? opened[1], messages ?? opened[2]])
        return RunningProgram(
            process: child, outputFile: files[1], messageFile: files[2], directory: directory)
    }

    /// Starts it with the given files as standard input, output, error and on. `starter` is a
    /// command that `words` are given to instead of the program.
    func spawn(
        _ words: [String], files: [Int32], through starter: [String] = [Self.path]
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (place, file) in files.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, file, Int32(place))
        }
        // What other tests have open at the moment is none of its business.
        try #require(closeAll(from: Int32(files.count), in: &actions))
        var variables = ["HOME": directory.path, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"]
        variables.merge(environment) { $1 }
        // glibc hides the call that would set the working directory; env(1) sets it and leaves.
        let line = ["env", "-C", directory.path] + starter + words
        var arguments = line.map { strdup($0) } + [nil]
        var settings = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in arguments + settings { free(text) } }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The tests' own threads block signals, and a child would inherit that.
        var noSignal = sigset_t()
        sigemptyset(&noSignal)
        posix_spawnattr_setsigmask(&attributes, &noSignal)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var process = pid_t()
        let status = posix_spawn(
            &process, "/usr/bin/env", &actions, &attributes, &arguments, &settings)
        try #require(status == 0, "cannot run it: \(String(cString: strerror(status)))")
        return process
    }

    /// The built program lies beside the test's own.
    static let path: String = {
        let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return ((own ?? "") as NSString).deletingLastPathComponent + "/onesheet"
    }()
}

/// posix_spawn_file_actions_addclosefrom_np(3), which glibc hides from Swift.
private func closeAll(from first: Int32, in actions: UnsafeMutableRawPointer) -> Bool {
    typealias Call = @convention(c) (UnsafeMutableRawPointer, Int32) -> Int32
    guard let symbol = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") else { return false }
    return unsafeBitCast(symbol, to: Call.self)(actions, first) == 0
}

/// A program that has been started.
struct RunningProgram: Sendable {
    let process: pid_t
    fileprivate let outputFile: String
    let messageFile: String
    /// Stays while the program runs.
    private let directory: TemporaryDirectory

    fileprivate init(
        process: pid_t, outputFile: String, messageFile: String, directory: TemporaryDirectory
    ) {
        (self.process, self.outputFile, self.messageFile) = (process, outputFile, messageFile)
        self.directory = directory
    }

    /// Waits for its end.
    func wait() throws -> BuiltProgram.Outcome {
        let status = waitForExit(process)
        return BuiltProgram.Outcome(
            status: status, output: [UInt8](try Data(contentsOf: URL(fileURLWithPath: outputFile))),
            messages: String(
                decoding: try Data(contentsOf: URL(fileURLWithPath: messageFile)), as: UTF8.self))
    }

    /// Sends it a signal.
    func signal(_ number: Int32) { kill(process, number) }
}

/// Waits for a process's end: its exit code, or minus the signal that killed it.
func waitForExit(_ process: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 && errno == EINTR {}
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
}
