/// `onesheet manual`: the manual page.
enum ManualCommand {
    static let command = Command(
        name: "manual", operands: "", summary: "print the manual page",
        details: [
            "Prints all that --help tells, of every command, as a page for man (groff_man(7))."
        ],
        options: [], sharedOptions: [Command.help],
        examples: [
            (
                "onesheet manual > /usr/local/share/man/man1/onesheet.1",
                "So that 'man onesheet' finds it:"
            )
        ],
        run: run)

    private static func run(_ arguments: Arguments) throws -> ExitCode {
        try arguments.refuseOperands()
        try StandardOutput.write(Array(ManualPage(commands: Command.all).text().utf8))
        return .done
    }
}
