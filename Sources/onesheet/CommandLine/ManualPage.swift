import PosterBase

/// The manual page, in the macros of groff_man(7): what the help of every command says, in one
/// place and to be searched.
struct ManualPage {
    /// The commands that it describes.
    let commands: [Command]

    /// The page, as `man -l` reads it.
    func text() -> String {
        var page = """
            .TH ONESHEET 1 "" "onesheet \(Self.escaped(Program.version))" "User Commands"
            .SH NAME
            onesheet \\- movie posters, kept close at hand
            .SH SYNOPSIS
            .B onesheet
            .I COMMAND
            [\\fIOPTION\\fR]\(Self.escaped("…")) [\\fIOPERAND\\fR]\(Self.escaped("…"))
            .SH DESCRIPTION
            \(Self.escaped(HelpText.purpose))
            .SH COMMANDS

            """
        for command in commands { page += section(command) }
        page += ".SH EXIT STATUS\n"
        for (codes, meaning) in HelpText.exitCodes {
            page += ".TP\n.B \(codes)\n\(Self.escaped(meaning))\n"
        }
        page += ".SH ENVIRONMENT\n"
        for (variable, options) in variables() {
            page += ".TP\n.B \(variable)\nstands in for \(Self.escaped(options))\n"
        }
        return page + """
            .TP
            .BR AMODB_KEY ", " AMODB_KEY_FILE
            the key of the list API, or the file that holds it; there is no option for it

            """
    }

    private func section(_ command: Command) -> String {
        let operands = command.operands.isEmpty ? "" : " \\fI\(Self.escaped(command.operands))\\fR"
        var text = ".SS onesheet \(command.name) [\\fIOPTION\\fR]\(Self.escaped("…"))\(operands)\n"
        for paragraph in command.details {
            text += paragraph.hasPrefix("  ") ? Self.verbatim(paragraph) : Self.paragraph(paragraph)
        }
        for option in command.allOptions {
            let short = option.short.map { "\\fB\\-\($0)\\fR, " } ?? ""
            let value = option.placeholder.map { " \\fI\(Self.escaped($0))\\fR" } ?? ""
            text += ".TP\n\(short)\\fB\(Self.escaped(option.spelling))\\fR\(value)\n"
            text += Self.escaped(HelpText.words(option, of: command)) + "\n"
        }
        for (line, purpose) in command.examples {
            text += Self.paragraph(purpose) + Self.verbatim(line)
        }
        return text
    }

    /// The variables and the options that they stand in for, in the order of the commands.
    private func variables() -> [(variable: String, options: String)] {
        var variables: [(variable: String, options: String)] = []
        for command in commands {
            for option in command.allOptions {
                for variable in command.variables(of: option)
                where !variables.contains(where: { $0.variable == variable }) {
                    variables.append((variable, option.spelling))
                }
            }
        }
        return variables
    }

    private static func paragraph(_ text: String) -> String { ".PP\n\(escaped(text))\n" }

    private static func verbatim(_ text: String) -> String {
        ".RS 4\n.EX\n\(escaped(text))\n.EE\n.RE\n"
    }

    /// What groff would take for its own: backslashes, hyphens that are to be copied as they
    /// stand, a line's first dot or apostrophe; and letters beyond ASCII by name (groff_char(7)),
    /// because it reads Latin-1.
    private static func escaped(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let marked = line.unicodeScalars.map { letter in
                switch letter {
                case "\\": "\\e"
                case "-": "\\-"
                case _ where letter.isASCII: String(letter)
                default:
                    "\\[u" + String(0x1_0000 + letter.value, radix: 16, uppercase: true).dropFirst()
                        + "]"
                }
            }
            return (line.first.map { ".'".contains($0) } ?? false ? "\\&" : "") + marked.joined()
        }.joined(separator: "\n")
    }
}
