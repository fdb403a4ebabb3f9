/// Prints the result of a command: JSON where it was asked for, else words for people, which
/// `--quiet` leaves out unless something failed.
struct Report {
    private let isJSON: Bool
    private let isQuiet: Bool

    init(_ arguments: Arguments) {
        isJSON = arguments.has(SharedOptions.json)
        isQuiet = arguments.has(SharedOptions.quiet)
    }

    /// Prints the result to standard output; in silence, when something failed, to standard error.
    func result(
        _ text: @autoclosure () -> String, json: @autoclosure () -> JSONValue, exitCode: ExitCode
    ) throws(OutputError) {
        if isJSON {
            try StandardOutput.write(Array((json().description + "\n").utf8))
        } else if !isQuiet {
            try StandardOutput.write(Array((text() + "\n").utf8))
        } else if exitCode != .done {
            tell("onesheet: \(text())")
        }
    }

    /// Tells what is not as it should be, though nothing failed.
    func warn(_ text: String) {
        if !isQuiet { tell("onesheet: \(text)") }
    }

    /// How many failures are named in words; JSON names them all.
    private static let namedFailures = 20

    /// Names failures, in words. They are told in JSON too. `count` is how many there are, where
    /// that is more than are known by name.
    func failures(_ lines: [String], of count: Int? = nil) {
        for line in lines.prefix(Self.namedFailures) { tell("onesheet: \(line)") }
        let more = (count ?? lines.count) - min(lines.count, Self.namedFailures)
        if more > 0 { tell("onesheet: \(more) more; --json names them") }
    }
}
