/// A subcommand: its name, its help and what it does.
struct Command: Sendable {
    /// What is typed after `onesheet`.
    let name: String
    /// The operands as a usage line has them, such as `[PATH…]`; empty when there are none.
    let operands: String
    /// What it does, in half a line.
    let summary: String
    /// The paragraphs of its help, unwrapped. Lines that begin with two spaces stay as they are.
    let details: [String]
    /// The options of its own.
    let options: [Option]
    /// The options that it has in common with other commands, those for help and output included.
    let sharedOptions: [Option]
    /// Command lines that show its use, each with what it is for.
    let examples: [(line: String, purpose: String)]
    /// Does it. Throws an ``ExitCoded`` error when it fails as a whole.
    let run: @Sendable (Arguments) throws -> ExitCode
    /// The operands that a shell offers, where they are of a few.
    var operandChoices: [String] = []

    /// Whether each of its options but help has a variable that is named after it.
    var hasVariables = false

    /// All options, in the order of the help.
    var allOptions: [Option] { options + sharedOptions }

    /// The environment variables that stand in for an option, the first first.
    func variables(of option: Option) -> [String] {
        guard hasVariables, option.name != Self.help.name else { return option.environment }
        return [option.variable] + option.environment.filter { $0 != option.variable }
    }

    /// Whether it asks the list API for something, and needs the key for that.
    var asksForLists: Bool { sharedOptions.contains { $0.name == SharedOptions.apiBase.name } }

    /// Whether it may use the shared store, and needs the keys for that.
    var usesStore: Bool { sharedOptions.contains { $0.name == ObjectStoreOptions.store.name } }

    /// The options that every command has.
    static let help = Option(name: "help", short: "h", help: "show this help and do nothing else")

    /// Every subcommand, in the order of the help.
    static let all = [
        ResolveCommand.command, GetCommand.command, PrefetchCommand.command, ServeCommand.command,
        PruneCommand.command, ThumbnailCommand.command, PlaceholderCommand.command,
        StatsCommand.command, VerifyCommand.command, StoreCommand.command,
        CompletionCommand.command, ManualCommand.command,
    ]

    /// The environment variables of all commands.
    static var variables: Set<String> {
        Set(all.flatMap { command in command.allOptions.flatMap(command.variables(of:)) })
    }

    /// The subcommand called `name`. Throws with the nearest name when there is none.
    static func named(_ name: String) throws(Failure) -> Command {
        if let command = all.first(where: { $0.name == name }) { return command }
        let hint = nearest(to: name, among: all.map(\.name)).map { "; did you mean \($0)?" } ?? ""
        throw .usage("there is no command \(quoted(name))\(hint)", see: nil)
    }
}
