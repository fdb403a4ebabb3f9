/// One option of a command: what parses it, what explains it, and where else its value may come
/// from. Help and parsing read the same table, so they cannot disagree.
struct Option: Sendable {
    /// The long name, without dashes.
    let name: String
    /// The one-letter form, where there is one.
    var short: Character?
    /// What help calls the value, such as `DIR`; `nil` for a flag, which has none.
    var placeholder: String?
    /// What it does, in a sentence without a full stop.
    let help: String
    /// The environment variables that give the value where the option does not, the first first,
    /// in every command that has it. ``Command/variables(of:)`` adds the one named after it.
    var environment: [String] = []
    /// The value where neither gives one, as it would be typed.
    var standard: String?
    /// What help says of the default, where that is no fixed value.
    var standardNote: String?
    /// Whether giving it again adds a value instead of replacing the last.
    var isRepeatable = false
    /// The values that a shell offers, where it is one of a few; or the usual ones.
    var choices: [String] = []

    /// `--name`, for messages.
    var spelling: String { "--\(name)" }

    /// The variable that is named after it: `ONESHEET_CACHE_DIR` for `cache-dir`.
    var variable: String {
        Environment.prefix + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }
}
