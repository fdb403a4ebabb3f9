import Glibc
import PosterBase

/// The command line: words in, an exit code out.
@main
struct Onesheet {
    static func main() {
        let exitCode = launch(Array(CommandLine.arguments.dropFirst()))
        // At once: what exit(3) would clean up may be in use on a thread that still fetches.
        _exit(exitCode.status)
    }
}

/// Runs the program. Every message and every exit code of a failure comes from here.
///
/// Not in `main`, whose closures would belong to the main actor, and trap when a library calls
/// them on a thread of its own.
private func launch(_ words: [String]) -> ExitCode {
    // A reader that leaves, and a file over the limit of its size (setrlimit(2)), show as errors
    // of the write instead.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    // A caller that blocks signals hands that on: then nothing would end a wait.
    var ending = sigset_t()
    sigemptyset(&ending)
    for number in [SIGINT, SIGTERM] { sigaddset(&ending, number) }
    pthread_sigmask(SIG_UNBLOCK, &ending, nil)
    reserveStandardFiles()
    Allocator.configure()
    do {
        return try dispatch(words)
    } catch let error as Failure {
        if !error.message.isEmpty { tell("onesheet: \(error.message)") }
        if let command = error.helpfulCommand {
            let help = command.isEmpty ? "onesheet --help" : "onesheet \(command) --help"
            tell("Try '\(help)' for more.")
        }
        return error.exitCode
    } catch let error as any ExitCoded {
        if !error.message.isEmpty { tell("onesheet: \(error.message)") }
        return error.exitCode
    } catch {
        tell("onesheet: \(error)")
        return .software
    }
}

private func dispatch(_ words: [String]) throws -> ExitCode {
    guard let first = words.first else {
        throw Failure.usage(
            "say what to do: \(Command.all.map(\.name).joined(separator: ", "))", see: nil)
    }
    switch first {
    case "--version", "-V": return try show("onesheet \(Program.version)\n")
    case "--help", "-h": return try show(HelpText(width: helpWidth()).program(Command.all))
    case "help":
        guard words.count > 1 else { return try dispatch(["--help"]) }
        return try show(HelpText(width: helpWidth()).command(Command.named(words[1])))
    case _ where first.hasPrefix("-"):
        throw Failure.usage(
            "\(quoted(first)) stands before a command; options stand after it", see: nil)
    default:
        let command = try Command.named(first)
        let arguments = try Arguments(Array(words.dropFirst()), for: command, .process)
        guard !arguments.has(Command.help) else {
            return try show(HelpText(width: helpWidth()).command(command))
        }
        try arguments.checkFlags()
        warnOfUnknownVariables(arguments)
        if !command.asksForLists { APIKey.eraseVariable() }
        if !command.usesStore { ObjectStoreOptions.eraseVariables() }
        return try command.run(arguments)
    }
}

/// Names variables that look like ours and are none, where a command reads any: a misspelt one
/// would leave a setting at its default in silence.
private func warnOfUnknownVariables(_ arguments: Arguments) {
    let command = arguments.command
    guard command.allOptions.contains(where: { !command.variables(of: $0).isEmpty }) else { return }
    let known = Command.variables
    let report = Report(arguments)
    for name in arguments.environment.unknown(besides: known) {
        let hint = nearest(to: name, among: known.sorted()).map { "; did you mean \($0)?" } ?? ""
        report.warn("there is no variable \(quoted(name, marks: false))\(hint)")
    }
}

private func show(_ text: String) throws -> ExitCode {
    try StandardOutput.write(Array(text.utf8))
    return .done
}

/// As wide as the terminal, or as one that is usual.
private func helpWidth() -> Int { terminalColumns(STDOUT_FILENO) ?? 80 }

/// Fills the places of standard input, output and error where the caller closed them: the next
/// file that is opened would take the place, and get what is printed. A write to output that was closed
/// must still fail, so that what was asked for is not lost in silence.
private func reserveStandardFiles() {
    for file in STDIN_FILENO...STDERR_FILENO where fcntl(file, F_GETFD) == -1 {
        _ = open("/dev/null", O_RDONLY)
    }
}
