/// `onesheet completion`: what a shell completes command lines by.
enum CompletionCommand {
    static let command = Command(
        name: "completion", operands: "SHELL", summary: "print a completion script for a shell",
        details: [
            "Prints a script for bash, zsh or fish that completes commands, options and their "
                + "values."
        ],
        options: [], sharedOptions: [Command.help],
        examples: [
            (
                "onesheet completion bash > /etc/bash_completion.d/onesheet",
                "For everybody who uses bash:"
            ),
            ("onesheet completion zsh > ~/.zfunc/_onesheet", "For zsh, with ~/.zfunc in fpath:"),
            (
                "onesheet completion fish > ~/.config/fish/completions/onesheet.fish",
                "For fish:"
            ),
        ],
        run: run, operandChoices: CompletionScript.Shell.allCases.map(\.rawValue))

    private static func run(_ arguments: Arguments) throws -> ExitCode {
        let shells = CompletionScript.Shell.allCases.map(\.rawValue)
        guard arguments.operands.count == 1 else {
            throw Failure.usage(
                "say for which shell: \(shells.joined(separator: ", "))", see: "completion")
        }
        let shell: CompletionScript.Shell
        do throws(ValueError) { shell = try .init(argument: arguments.operands[0]) } catch {
            throw Failure.usage(
                "\(quoted(arguments.operands[0])): \(error.rule)", see: "completion")
        }
        let script = CompletionScript(commands: Command.all).text(for: shell)
        try StandardOutput.write(Array(script.utf8))
        return .done
    }
}
