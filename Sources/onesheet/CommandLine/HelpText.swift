/// Help, laid out for a width: what a person reads before the first use and after the first
/// mistake.
struct HelpText {
    /// Columns that lines are wrapped to.
    let width: Int

    /// Narrower than this, nothing reads well; wider than this, lines are hard to follow.
    private static let widths = 60...100
    /// Where the words about an option begin.
    private static let indent = 24

    init(width: Int) {
        self.width = min(max(width, Self.widths.lowerBound), Self.widths.upperBound)
    }

    /// The help of the whole program.
    func program(_ commands: [Command]) -> String {
        var text = """
            Usage: onesheet COMMAND [OPTION]… [OPERAND]…
                   onesheet COMMAND --help


            """
        text += wrap(Self.purpose, indent: 0) + "\nCommands:\n\n"
        for command in commands { text += entry(command.name, command.summary, indent: 15) }
        text += """

            Options:

            """
        text += entry("-h, --help", "show this help, or that of a command")
        text += entry("-V, --version", "show the version")
        text += "\nExit codes:\n"
        for (codes, meaning) in Self.exitCodes { text += entry(codes, meaning, indent: 8) }
        return text
    }

    /// The help of one command.
    func command(_ command: Command) -> String {
        let operands = command.operands.isEmpty ? "" : " \(command.operands)"
        var text = "Usage: onesheet \(command.name) [OPTION]…\(operands)\n"
        for paragraph in command.details {
            text +=
                "\n" + (paragraph.hasPrefix("  ") ? paragraph + "\n" : wrap(paragraph, indent: 0))
        }
        text += section("Options", command.options, of: command)
        text += section("Shared options", command.sharedOptions, of: command)
        if !command.examples.isEmpty {
            text += "\nExamples:\n"
            for (line, purpose) in command.examples {
                text += wrap(purpose, indent: 2) + "      \(line)\n"
            }
        }
        return text
    }

    /// What the program is for.
    static let purpose =
        "Keeps movie posters close at hand: fetches them once, checks them, makes thumbnails, "
        + "serves them over HTTP, and puts placeholders where there are none."

    /// What each exit code means; they are those of sysexits.h.
    static let exitCodes = [
        ("0", "done"),
        ("1", "some items failed; the summary names them"),
        ("64", "the command line is wrong"),
        ("65", "an input is no usable image"),
        ("66", "there is no such input file"),
        ("69", "upstream is unavailable, or there is no such poster"),
        ("73", "an output cannot be made"),
        ("74", "reading or writing failed"),
        ("75", "not now: another prune runs, or upstream asks for patience"),
        ("77", "the API key is missing or refused, or its plan has ended"),
        ("78", "a setting is wrong"),
        ("130", "stopped by Ctrl-C; what was done is kept"),
    ]

    private func section(_ title: String, _ options: [Option], of command: Command) -> String {
        guard !options.isEmpty else { return "" }
        return "\n\(title):\n"
            + options.map { entry(Self.label($0), Self.words($0, of: command)) }.joined()
    }

    private static func label(_ option: Option) -> String {
        let short = option.short.map { "-\($0), " } ?? "    "
        return short + "--" + option.name + (option.placeholder.map { " \($0)" } ?? "")
    }

    /// What an option of a command does, where else its value may come from, and its default.
    static func words(_ option: Option, of command: Command) -> String {
        var notes: [String] = []
        let variables = command.variables(of: option)
        if !variables.isEmpty {
            notes.append("else " + variables.joined(separator: ", else "))
        }
        if let standard = option.standardNote ?? option.standard {
            notes.append("default \(standard)")
        }
        return option.help + (notes.isEmpty ? "" : " [\(notes.joined(separator: "; "))]")
    }

    /// A label, and words that begin at `indent`: beside it, or below where it is too long.
    private func entry(_ label: String, _ words: String, indent: Int = HelpText.indent) -> String {
        let head = "  " + label
        let wrapped = wrap(words, indent: indent)
        guard head.count + 2 <= indent else { return head + "\n" + wrapped }
        return head + String(repeating: " ", count: indent - head.count) + wrapped.dropFirst(indent)
    }

    /// Lines no longer than the width, each after `indent` spaces.
    private func wrap(_ text: String, indent: Int) -> String {
        let margin = String(repeating: " ", count: indent)
        var (lines, line) = ("", margin)
        for word in text.split(separator: " ") {
            if line.count > indent, line.count + 1 + word.count > width {
                lines += line + "\n"
                line = margin
            }
            line += (line.count > indent ? " " : "") + word
        }
        return lines + line + "\n"
    }
}
