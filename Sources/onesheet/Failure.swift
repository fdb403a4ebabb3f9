import Amodb

/// Why a command failed as a whole: what it tells the user, and the exit code that tells a script.
struct Failure: ExitCoded, Equatable {
    let exitCode: ExitCode
    let message: String
    /// The command whose help may help.
    let helpfulCommand: String?

    init(_ exitCode: ExitCode, _ message: String, see command: String? = nil) {
        self.exitCode = exitCode
        self.message = message
        helpfulCommand = command
    }

    /// The command line itself is wrong. `command` is the one whose help tells more; `nil`: the
    /// program's own.
    static func usage(_ message: String, see command: String?) -> Failure {
        Failure(.usage, message, see: command ?? "")
    }
}

/// Text from outside, fit for a message: escaped and cut, between double quotes unless `marks`
/// is false.
func quoted(_ text: String, marks: Bool = true) -> String {
    let quoted = Quoted(text).description
    return marks ? quoted : String(quoted.dropFirst().dropLast())
}
