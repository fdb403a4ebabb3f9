@preconcurrency import CGetopt
import Glibc

/// What was typed after a command's name, sorted by its table of options.
struct Arguments: Sendable {
    /// The command that it was typed for.
    let command: Command
    /// What is no option, in order.
    let operands: [String]
    /// The environment that stands in for options that were not given.
    let environment: Environment
    private let given: [String: [String]]

    /// Parses as GNU programs do: options and operands in any order, `--name=value` and
    /// `--name value`, names cut short where they stay unique, `--` before operands that begin
    /// with a dash. `words` do not hold the command's name.
    ///
    /// Uses glibc's getopt_long, whose state is the process's: not from two threads at once.
    init(_ words: [String], for command: Command, _ environment: Environment) throws(Failure) {
        self.command = command
        self.environment = environment
        (given, operands) = try Self.parse(words, command)
    }

    /// Whether a flag, or an option with a value, was given or is set by a variable.
    func has(_ option: Option) -> Bool {
        if isTyped(option) { return true }
        guard let variable = variable(of: option) else { return false }
        return option.placeholder != nil || Self.switches[environment[variable] ?? ""] == true
    }

    /// Whether an option was given on the command line itself.
    func isTyped(_ option: Option) -> Bool { given[option.name] != nil }

    /// Throws for a flag's variable that says neither yes nor no.
    func checkFlags() throws(Failure) {
        for option in command.allOptions where option.placeholder == nil && !isTyped(option) {
            guard let variable = variable(of: option), let text = environment[variable] else {
                continue
            }
            guard Self.switches[text] != nil else {
                throw Failure(
                    .configuration, "\(variable) \(quoted(text)): it must be 1 or 0",
                    see: command.name)
            }
        }
    }

    /// An option's value: what was typed, else what the environment has, else its default.
    func value<Value: ArgumentValue>(
        _ option: Option, as type: Value.Type = Value.self
    ) throws(Failure) -> Value? {
        if let text = given[option.name]?.last { return try read(text, option.spelling, .usage) }
        if let variable = variable(of: option), let text = environment[variable] {
            return try read(text, variable, .configuration)
        }
        guard let text = option.standard else { return nil }
        return try read(text, option.spelling, .usage)
    }

    /// As ``value(_:as:)`` for an option with a default.
    func required<Value: ArgumentValue>(
        _ option: Option, as type: Value.Type = Value.self
    ) throws(Failure) -> Value {
        guard let value = try value(option, as: type) else {
            throw .usage("\(option.spelling) is missing", see: command.name)
        }
        return value
    }

    /// Every value of a repeatable option, or its default alone. A variable holds several with
    /// spaces between them.
    func values<Value: ArgumentValue>(
        _ option: Option, as type: Value.Type = Value.self
    ) throws(Failure) -> [Value] {
        let (source, exitCode) = source(of: option)
        let words = variable(of: option).flatMap { environment[$0] }?
            .split(whereSeparator: \.isWhitespace).map(String.init)
        guard let texts = given[option.name] ?? words else {
            return try value(option).map { [$0] } ?? []
        }
        var values: [Value] = []
        for text in texts { values.append(try read(text, source, exitCode)) }
        return values
    }

    /// A whole number within `range`.
    func number(_ option: Option, in range: ClosedRange<Int>) throws(Failure) -> Int {
        let number = try required(option, as: WholeNumber.self).value
        guard range.contains(number) else {
            let (source, exitCode) = source(of: option)
            throw Failure(
                exitCode,
                "\(source) \(quoted(String(number))): "
                    + "it must be from \(range.lowerBound) to \(range.upperBound)",
                see: command.name)
        }
        return number
    }

    /// Throws when there are operands, for commands that take none.
    func refuseOperands() throws(Failure) {
        guard let operand = operands.first else { return }
        throw .usage(
            "\(quoted(operand)) is no option, and \(command.name) takes nothing else",
            see: command.name)
    }

    private func source(of option: Option) -> (name: String, exitCode: ExitCode) {
        if isTyped(option) { return (option.spelling, .usage) }
        return variable(of: option).map { ($0, .configuration) } ?? (option.spelling, .usage)
    }

    /// The variable that gives an option's value where the command line does not.
    private func variable(of option: Option) -> String? {
        command.variables(of: option).first { environment[$0] != nil }
    }

    /// What the variable of a flag may hold.
    private static let switches = [
        "1": true, "true": true, "yes": true, "on": true, "0": false, "false": false, "no": false,
        "off": false,
    ]

    private func read<Value: ArgumentValue>(
        _ text: String, _ source: String, _ exitCode: ExitCode
    ) throws(Failure) -> Value {
        do throws(ValueError) { return try Value(argument: text) } catch {
            throw Failure(exitCode, "\(source) \(quoted(text)): \(error.rule)", see: command.name)
        }
    }
}

extension Arguments {
    /// Values of getopt_long's own that no option of ours has; ours begin after the characters.
    private static let firstIndex: Int32 = 256

    private static func parse(
        _ words: [String], _ command: Command
    ) throws(Failure) -> (given: [String: [String]], operands: [String]) {
        let options = command.allOptions
        var cWords: [UnsafeMutablePointer<CChar>?] = (["onesheet"] + words).map { strdup($0) }
        cWords.append(nil)
        var table = options.enumerated().map { index, option in
            CGetopt.option(
                name: strdup(option.name),
                has_arg: option.placeholder == nil ? no_argument : required_argument, flag: nil,
                val: firstIndex + Int32(index))
        }
        // getopt_long reorders the words, so what is to be freed is what was made, in any order.
        defer {
            for word in cWords { free(word) }
            for entry in table { free(UnsafeMutableRawPointer(mutating: entry.name)) }
        }
        table.append(CGetopt.option())
        // A leading colon: a missing value is told as ':', and nothing is printed.
        let letters = ":" + options.map(shortForm).joined()
        var given: [String: [String]] = [:]
        // Zero makes glibc start again, also after an earlier parse was left in the middle.
        (optind, opterr) = (0, 0)
        while true {
            let code = getopt_long(Int32(words.count + 1), &cWords, letters, &table, nil)
            if code == -1 { break }
            guard let option = option(code, in: options) else {
                throw failure(code, cWords, options, command)
            }
            let value = option.placeholder == nil ? "" : optarg.map { String(cString: $0) } ?? ""
            given[option.name, default: []].append(value)
        }
        let operands = cWords[Int(optind)..<words.count + 1].compactMap { word in
            word.map { String(cString: $0) }
        }
        return (given, operands)
    }

    private static func shortForm(_ option: Option) -> String {
        option.short.map { "\($0)" + (option.placeholder == nil ? "" : ":") } ?? ""
    }

    private static func option(_ code: Int32, in options: [Option]) -> Option? {
        if code >= firstIndex { return options[Int(code - firstIndex)] }
        return options.first { $0.short?.asciiValue.map(Int32.init) == code }
    }

    /// Says what getopt_long only hints at.
    private static func failure(
        _ code: Int32, _ words: [UnsafeMutablePointer<CChar>?], _ options: [Option],
        _ command: Command
    ) -> Failure {
        func usage(_ message: String) -> Failure { .usage(message, see: command.name) }
        if let option = option(optopt, in: options) {
            return code == Int32(UInt8(ascii: ":"))
                ? usage("\(option.spelling) needs a value: \(option.placeholder ?? "")")
                : usage("\(option.spelling) takes no value")
        }
        if optopt > 0, optopt < firstIndex {
            let letter = Unicode.Scalar(UInt8(truncatingIfNeeded: optopt))
            return usage("there is no option -\(quoted(String(letter), marks: false))")
        }
        let word = words[Int(optind) - 1].map { String(cString: $0) } ?? ""
        let name = String(word.drop { $0 == "-" }.prefix { $0 != "=" })
        let matches = options.map(\.name).filter { $0.hasPrefix(name) }
        if matches.count > 1 {
            let all = matches.map { "--\($0)" }.joined(separator: ", ")
            return usage("--\(quoted(name, marks: false)) may mean any of \(all)")
        }
        let hint = nearest(to: name, among: options.map(\.name)).map { "; did you mean --\($0)?" }
        return usage("there is no option --\(quoted(name, marks: false))\(hint ?? "")")
    }
}
