/// A value that can be typed after an option or set in an environment variable.
protocol ArgumentValue: Sendable {
    /// Reads it. Throws the rule that `argument` breaks.
    init(argument: String) throws(ValueError)
}

/// The rule that a text broke, as the end of a message that begins with the option and the text.
struct ValueError: Error, Equatable {
    let rule: String

    init(_ rule: String) { self.rule = rule }
}

/// Any text but none.
extension String: ArgumentValue {
    init(argument: String) throws(ValueError) {
        guard !argument.isEmpty else { throw ValueError("it must not be empty") }
        self = argument
    }
}

/// One of a few words.
extension ArgumentValue where Self: CaseIterable & RawRepresentable, RawValue == String {
    init(argument: String) throws(ValueError) {
        guard let value = Self(rawValue: argument) else {
            let words = Self.allCases.map(\.rawValue)
            let all = words.dropLast().joined(separator: ", ")
            throw ValueError("it must be \(all) or \(words.last ?? "")")
        }
        self = value
    }
}
