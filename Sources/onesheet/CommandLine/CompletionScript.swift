/// What a shell needs to complete `onesheet` command lines, made from the table that parses them.
struct CompletionScript {
    /// The commands that it knows.
    let commands: [Command]

    /// What may stand instead of a command.
    private static let programOptions = ["--help", "--version"]

    /// The script for one shell.
    func text(for shell: Shell) -> String {
        switch shell {
        case .bash: bash()
        case .zsh: zsh()
        case .fish: fish()
        }
    }

    /// A shell that scripts are made for.
    enum Shell: String, CaseIterable, ArgumentValue {
        case bash, zsh, fish
    }

    /// What stands after an option, or as an operand.
    private enum Value {
        case none, words([String]), folders, files

        init(placeholder: String?, choices: [String] = []) {
            self =
                switch placeholder {
                case "DIR": .folders
                case "FILE", "OUT", "IN…": .files
                default: choices.isEmpty ? .none : .words(choices)
                }
        }

        init(_ option: Option) {
            self.init(placeholder: option.placeholder, choices: option.choices)
        }

        init(operandsOf command: Command) {
            self.init(placeholder: command.operands, choices: command.operandChoices)
        }
    }

    // bash(1), "Programmable Completion". Bash offers words only; what they mean, it cannot say.
    private func bash() -> String {
        let names = (commands.map(\.name) + Self.programOptions).joined(separator: " ")
        var text = """
            # bash completion of onesheet
            _onesheet_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current"); }
            _onesheet_paths() {
                compopt -o filenames
                mapfile -t COMPREPLY < <(compgen "$1" -- "$current")
            }
            _onesheet() {
                local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
                COMPREPLY=()
                if ((COMP_CWORD == 1)); then
                    _onesheet_words "\(names)"
                    return
                fi
                case ${COMP_WORDS[1]} in

            """
        for command in commands {
            text += "    \(command.name))\n        case $before in\n"
            for option in command.allOptions where option.placeholder != nil {
                let pattern = (option.short.map { "-\($0) | " } ?? "") + option.spelling
                text += "        \(pattern)) \(Self.bash(Value(option))) ;;\n"
            }
            let options = command.allOptions.map(\.spelling).joined(separator: " ")
            text += """
                        *)
                            if [[ $current == -* ]]; then _onesheet_words "\(options)"
                            else \(Self.bash(Value(operandsOf: command))); fi
                            ;;
                        esac
                        ;;

                """
        }
        return text + "    esac\n}\ncomplete -F _onesheet onesheet\n"
    }

    private static func bash(_ value: Value) -> String {
        switch value {
        case .none: ":"
        case .words(let words): "_onesheet_words \"\(words.joined(separator: " "))\""
        case .folders: "_onesheet_paths -d"
        case .files: "_onesheet_paths -f"
        }
    }

    // zshcompsys(1), _arguments.
    private func zsh() -> String {
        var text = "#compdef onesheet\n_onesheet() {\n    if ((CURRENT == 2)); then\n"
        text += "        local -a commands=(\n"
        for command in commands {
            text += "            \(Self.quoted("\(command.name):\(command.summary)"))\n"
        }
        text += """
                    )
                    _describe command commands
                    _arguments '--help[show help]' '--version[show the version]'
                    return
                fi
                local name=$words[2]
                shift words
                ((CURRENT--))
                case $name in

            """
        for command in commands {
            text += "    \(command.name))\n        _arguments"
            for option in command.allOptions {
                text += " \\\n            \(Self.zsh(option))"
            }
            let operands = Self.zsh(Value(operandsOf: command))
            if !operands.isEmpty {
                text += " \\\n            \(Self.quoted("*:\(command.operands):\(operands)"))"
            }
            text += "\n        ;;\n"
        }
        return text + "    esac\n}\n_onesheet \"$@\"\n"
    }

    private static func zsh(_ option: Option) -> String {
        let marked = option.help.map { "[]:\\".contains($0) ? "\\\($0)" : "\($0)" }.joined()
        let value = option.placeholder.map { ":\($0):\(zsh(Value(option)))" } ?? ""
        let names = (option.short.map { ["-\($0)"] } ?? []) + [option.spelling]
        let repeatable = option.isRepeatable ? "*" : ""
        return names.map { quoted("\(repeatable)\($0)[\(marked)]\(value)") }
            .joined(separator: " ")
    }

    private static func zsh(_ value: Value) -> String {
        switch value {
        case .none: ""
        case .words(let words): "(\(words.joined(separator: " ")))"
        case .folders: "_files -/"
        case .files: "_files"
        }
    }

    // complete(1) of fish.
    private func fish() -> String {
        var text = """
            # fish completion of onesheet
            complete -c onesheet -f
            complete -c onesheet -n __fish_use_subcommand -s h -l help -d 'show help'
            complete -c onesheet -n __fish_use_subcommand -s V -l version -d 'show the version'

            """
        for command in commands {
            text += "complete -c onesheet -n __fish_use_subcommand -a \(command.name)"
            text += " -d \(Self.quoted(command.summary))\n"
            let head = "complete -c onesheet -n '__fish_seen_subcommand_from \(command.name)'"
            for option in command.allOptions {
                text += "\(head)" + (option.short.map { " -s \($0)" } ?? "") + " -l \(option.name)"
                if option.placeholder != nil { text += Self.fish(Value(option), " -x") }
                text += " -d \(Self.quoted(option.help))\n"
            }
            let operands = Self.fish(Value(operandsOf: command), "")
            if !operands.isEmpty { text += "\(head)\(operands)\n" }
        }
        return text
    }

    private static func fish(_ value: Value, _ required: String) -> String {
        switch value {
        case .none: required
        case .words(let words): "\(required) -a \(quoted(words.joined(separator: " ")))"
        case .folders: "\(required) -a '(__fish_complete_directories)'"
        case .files: required.isEmpty ? " -F" : " -r -F"
        }
    }

    /// In single quotes, as every one of the shells reads them.
    private static func quoted(_ text: String) -> String {
        "'"
            + text.split(separator: "'", omittingEmptySubsequences: false).joined(
                separator: "'\\''")
            + "'"
    }
}
